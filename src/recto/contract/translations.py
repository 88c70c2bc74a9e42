"""Translations of spaces into other languages: each has a space of its own that follows its source."""

from typing import Final

from recto.contract.common import Limit, ListPage, Urls
from recto.contract.model import Body, Instant, Model
from recto.contract.operation import Resource, delete, get, post, put
from recto.contract.rich_text import Document
from recto.contract.spaces import Language

RUN: Final = "translation"
"""The kind of the jobs that translate; the source is their space, and what they are about ends with (language)."""

PENDING: Final = "pending"
RUNNING: Final = "running"
COMPLETED: Final = "completed"
"""What the status of a translation may be; one whose last run failed, or left pages untranslated, is pending."""


class TranslationSource(Model):
    """The space that is translated, by its id, and its language."""

    space: str = ""
    language: str = ""


class TranslationResult(Model):
    """The space that holds the translation, by its id, its revision after the last run, and its language."""

    space: str = ""
    revision: str = ""
    language: str = ""


class TranslationStats(Model):
    """What runs have done; durations are in milliseconds."""

    runs: int = 0
    total_words: int = 0
    total_pages: int = 0
    total_duration: float = 0
    latest_run_duration: float = 0
    latest_pages: int = 0
    latest_words: int = 0


class TranslationPermissions(Model):
    """The caller's permissions on a translation."""

    view: bool = False
    edit: bool = False


class Translation(Model):
    """A translation of a space into a language; ``result`` is there once a run has ended well."""

    object: str = "translation"
    id: str
    status: str = PENDING
    source: TranslationSource = TranslationSource.model_construct()
    language: str = ""
    instructions: Document = Document.model_construct()
    result: TranslationResult | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    stats: TranslationStats = TranslationStats.model_construct()
    permissions: TranslationPermissions = TranslationPermissions.model_construct()
    urls: Urls = Urls.model_construct()


class SourceToTranslate(Body):
    """The space that is to be translated, by its id, and its language."""

    space: str
    language: Language


class CreateTranslation(Body):
    """A translation to be added; ``instructions`` say how it is to be written."""

    source: SourceToTranslate
    language: Language
    instructions: Document


class UpdateTranslation(Body):
    """How a translation is to be written, in place of the former instructions; the next run translates every page."""

    instructions: Document


class Translations(Resource):
    """Translations of spaces."""

    @get("/orgs/{organization_id}/translations")
    async def list_translations(
        self, organization_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Translation]":
        """The translations of an organization, the newest first."""
        ...

    @post("/orgs/{organization_id}/translations", status=201)
    async def create_translation(self, organization_id: str, body: CreateTranslation) -> Translation:
        """Add a translation of a space; it is pending until it is run."""
        ...

    @get("/orgs/{organization_id}/translations/{translation_id}")
    async def get_translation(self, organization_id: str, translation_id: str) -> Translation:
        """A translation."""
        ...

    @put("/orgs/{organization_id}/translations/{translation_id}")
    async def update_translation(
        self, organization_id: str, translation_id: str, body: UpdateTranslation
    ) -> Translation:
        """Change the instructions of a translation."""
        ...

    @delete("/orgs/{organization_id}/translations/{translation_id}")
    async def delete_translation(self, organization_id: str, translation_id: str) -> None:
        """Delete a translation; the space with its pages stays."""
        ...

    @post("/orgs/{organization_id}/translations/{translation_id}/run", status=204)
    async def run_translation(self, organization_id: str, translation_id: str) -> None:
        """Translate the pages that changed since the last run; it goes on after the response."""
        ...
