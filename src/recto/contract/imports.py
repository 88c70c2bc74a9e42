"""Import of content from other places, after the existing pages."""

import re
from typing import Final, Literal

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.model import Body, Model
from recto.contract.operation import Resource, post

Source = Literal["website", "docx", "markdown", "html", "zip", "confluence", "github-wiki", "notion", "google-docs"]
"""The kind of content at an address."""

SOURCES: Final[dict[Source, str]] = {
    "markdown": "a Markdown file",
    "html": "an HTML file or page",
    "zip": "a .zip archive of Markdown and HTML files",
    "docx": "a Word document",
    "notion": "an export of Notion (Markdown & CSV, or HTML)",
    "confluence": "an HTML export of a Confluence space",
    "github-wiki": "a wiki of GitHub, from its Git repository",
    "website": "a website: the pages at and below an address",
}
"""The sources that the embedded platform imports, each in a few words."""


_ENDINGS: Final[dict[str, Source]] = {
    ".docx": "docx",
    ".zip": "zip",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}


_WIKI: Final = re.compile(
    r"(?:(?:https?|ssh)://[^/?#]+/|[\w.+-]+@[\w.-]+:).+\.wiki\.git/?"
    r"|https?://(?:[^/@]*@)?github\.com/[^/]+/[^/]+/wiki(?:/.*)?"
)
_SSH: Final = re.compile(r"ssh://\S+|[\w.+-]+@[\w.-]+:(?!//)\S+")


def is_ssh(address: str) -> bool:
    """Whether an address is that of a repository reached over ssh, such as ``git@example.org:team/docs.wiki.git``."""
    return _SSH.fullmatch(address) is not None


def guess_source(address: str) -> Source:
    """Guess the kind of content from an address, or from the path of a file or folder."""
    is_web = address.lower().startswith(("http://", "https://"))
    if _WIKI.fullmatch(address.lower()):
        return "github-wiki"
    # Unlike ``urlsplit``, this takes what is no address after all, such as https://[docs.
    path = re.split(r"[?#]", address.partition("://")[2])[0].partition("/")[2] if "://" in address else address
    name = path.rstrip("/").lower()
    for ending, source in _ENDINGS.items():
        if name.endswith(ending):
            return source
    return "website" if is_web else "zip"


class ImportContent(Body):
    """An address, and the kind of content there."""

    url: str
    source: Source


class ImportedContent(Model):
    """Result of an import: the revision with the new pages, and how many pages and files were imported, of how many."""

    revision: str = ""
    imported_resources: int = 0
    total_resources: int = 0


class Imports(Resource):
    """Imports of content."""

    @post("{content}/import", status=201)
    async def import_content(self, at: Main | InChangeRequest, body: ImportContent) -> ImportedContent:
        """Import content from an address; it comes after the existing pages."""
        ...
