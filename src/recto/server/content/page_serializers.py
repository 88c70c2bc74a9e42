"""Revisions, pages and files as models of the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import lru_cache
from json.encoder import encode_basestring as quoted
from typing import Any, Final
from urllib.parse import quote

from pydantic_core import to_json

from recto.contract.change_requests import ChangeRequest
from recto.contract.common import Urls
from recto.contract.content import (
    Evaluated,
    GitObject,
    Page,
    PageFormat,
    PageTree,
    ReusableContent,
    Revision,
    RevisionGit,
)
from recto.contract.model import json_name
from recto.frozen import frozen
from recto.server.content import keys
from recto.server.content.computed_pages import Computed, compute_pages
from recto.server.content.files import serialize_file
from recto.server.content.objects import load_manifest, load_text
from recto.server.content.page_text import export_page, is_readable, lower_headings, turn_for
from recto.server.content.revisions import StoredRevision, content_of, tree_of
from recto.server.content.tree import ROOT, Node, Place, Tree
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.json_responses import json_response
from recto.server.serializers import known_fields
from recto.urls import EMBEDDED_ADDRESS, Thing, read_url

_KINDS = {"document": "sheet"}
_OPTIONAL = {
    name: json_name(name)
    for name in (
        *("link_title", "emoji", "icon", "description", "condition", "href", "target"),
        *("cover", "layout", "variables", "computed", "computed_seed"),
    )
}
"""What a page may have besides what each has, with its name on the wire."""

_SWITCHES = {name: json_name(name) for name in ("hidden", "no_index", "no_robots_index")}
_OF_EACH = {"title", "slug"}
LAYOUT: Final[dict[str, Any]] = {
    "width": "default",
    "cover": True,
    "coverSize": "hero",
    "coverMask": "none",
    "title": True,
    "description": True,
    "tableOfContents": True,
    "outline": True,
    "pagination": True,
    "metadata": True,
    "tags": True,
    "actions": True,
    "anchors": True,
}
"""The layout of a page that says nothing of it."""

_OFF = dict.fromkeys(_SWITCHES.values(), False)
_PLAIN = {
    kind: to_json(fields).decode()[1:-1]
    for kind, fields in {"document": _OFF | {"tags": [], "layout": LAYOUT}, "group": _OFF}.items()
}
"""The JSON of a page that has only the common fields, by its type."""


@lru_cache(maxsize=256)
def _thing_at(path: str) -> Thing:
    """Return what a path under ``/v1`` names; each thing on a page asks for that of the whole page."""
    place = read_url(f"{EMBEDDED_ADDRESS}/v1{path}")
    assert place is not None
    return place.thing


@lru_cache(maxsize=256)
def _path_at(path: str) -> str:
    """Return where that is opened, behind the address of the app; a page's id, which has nothing to quote, follows."""
    return _thing_at(path).path


@frozen
class RevisionView:
    """A view of a revision: the path of its content under ``/v1``, and its context.

    Without ``computed``, a computed page stands there as it was declared: no text, and no pages computed under it.
    Else pages are computed from the versions of their specifications now, or at ``moment``.
    """

    revision: StoredRevision
    path: str
    metadata: bool = True
    computed: bool = True
    oids: Mapping[str, str] = field(default_factory=dict)
    """The ids of files in the space's repository, by the ids of their pages, files and reusable contents."""
    moment: str | None = None

    @property
    def thing(self) -> Thing:
        """The content that is looked at, as an address names it."""
        return _thing_at(self.path)

    def page_urls(self, context: Context, page: str, anchor: str = "") -> Urls:
        """Return the addresses of a page in this view, or of a place in it."""
        at = f"#{quote(anchor)}" if anchor else ""
        location = context.location(f"{self.path}/page/{page}") + (f"#{anchor}" if anchor else "")
        return Urls(app=f"{context.app_url}{_path_at(self.path)}/{page}{at}", location=location)


def serialize_revision(context: Context, view: RevisionView, merged_from: ChangeRequest | None = None) -> Revision:
    """Return all of a revision but the texts of its pages; ``merged_from`` is what it merged."""
    revision = view.revision
    content = content_of(context.database, revision)
    return Revision(
        id=revision.id,
        type=revision.type,
        parents=revision.parents,
        pages=PageTree.model_validate_json(_write_tree(context, view)).pages,
        files=tuple(
            serialize_file(context, revision.space, entry, git=view.metadata, oids=view.oids) for entry in content.files
        ),
        reusable_contents=tuple(
            ReusableContent(
                id=each["id"],
                title=each["title"],
                markdown=load_text(context.database, each.get("text")),
                **_git(view, each),
            )
            for each in content.extras.get("reusableContents", ())
        ),
        variables=dict(content.extras.get("variables", {})),
        created_at=_instant(revision.created_at),
        tags=(),
        urls=Urls(
            app=context.app(Thing(space=revision.space, revision=revision.id)),
            location=context.location(f"/spaces/{revision.space}/revisions/{revision.id}"),
        ),
        **known_fields(
            merged_from=merged_from,
            git=RevisionGit.model_validate(revision.git) if revision.git and view.metadata else None,
        ),
    )


def serialize_tree(context: Context, view: RevisionView) -> PageTree:
    """Return the page tree, without texts; models of thousands of pages would take twenty times as long."""
    return json_response(PageTree, _write_tree(context, view).encode())


def _write_tree(context: Context, view: RevisionView) -> str:
    place, tree = context.app(view.thing), _pages(context, view).tree
    return f'{{"pages":[{",".join([_write_page(view, place, node, node.slug) for node in tree.root.children])}]}}'


def _write_page(view: RevisionView, place: str, node: Node, path: str) -> str:
    """Return a page with those under it as the wire has them; ``place`` is where they are opened by their ids."""
    below = [_write_page(view, place, child, f"{path}/{child.slug}") for child in _children(view, node)]
    # A text for each page: gathering its contents and writing them afterwards takes three times as long.
    return (
        f'{{"id":{quoted(node.id)},"title":{quoted(node.title)},"type":{quoted(node.type)},'
        f'"kind":{quoted(_KINDS.get(node.type, node.type))},"slug":{quoted(node.slug)},"path":{quoted(path)},'
        f'"createdAt":{quoted(node.created)},"updatedAt":{quoted(node.updated)},'
        f'"urls":{{"app":{quoted(f"{place}/{node.id}")}}},"pages":[{",".join(below)}],'
        f"{_rest(view, node)}}}"
    )


def _rest(view: RevisionView, node: Node) -> str:
    attributes = node.attributes
    if attributes.keys() <= _OF_EACH and node.type in _PLAIN:
        return _PLAIN[node.type]
    fields: dict[str, Any] = {wire: attributes.get(name, False) for name, wire in _SWITCHES.items()}
    fields |= {_OPTIONAL[name]: value for name, value in attributes.items() if name in _OPTIONAL}
    if node.type == "document":
        fields |= {"tags": [], "layout": LAYOUT | fields.get("layout", {})}
    if node.type == "link":
        fields.setdefault("target", {"kind": "url", "url": fields.get("href", "")})
    if "cover" in fields:
        fields["cover"] = {"yPos": 0} | fields["cover"]
    if "computed" in fields:
        fields.setdefault("computedSeed", node.text or node.id)
    elif node.type == "computed":
        fields["computed"] = {}
    if view.metadata and attributes.get("git"):
        fields["git"] = {"oid": view.oids.get(node.id, "")} | attributes["git"]
    return to_json(fields).decode()[1:-1]


def _page(context: Context, view: RevisionView, node: Node, path: str, text: str = "") -> Page:
    """Return a page with those under it and its ``text``, a field as the wire has it."""
    written = _write_page(view, context.app(view.thing), node, path)
    return json_response(Page, (f"{written[:-1]},{text}}}" if text else written).encode())


def page_alone(context: Context, view: RevisionView, place: Place) -> Page:
    """Return a page without its text and without those under it."""
    node = replace(place.node, children=())
    return Page.model_validate_json(_write_page(view, context.app(view.thing), node, place.path))


def serialize_page(
    context: Context, view: RevisionView, page: str, form: PageFormat | None, evaluated: Evaluated = "false"
) -> Page:
    """Return a page, with its text in the requested form; raises :class:`NotFound`."""
    pages = _pages(context, view)
    place = pages.tree.places.get(page)
    if place is None or _is_computed_away(view, pages.tree, place):
        raise NotFound(f"There is no page {page} here.")
    computed = pages.texts.get(page)
    return _page(context, view, place.node, place.path, _text(context, view, place.node, computed, form, evaluated))


def page_by_path(
    context: Context, view: RevisionView, path: str, form: PageFormat | None, evaluated: Evaluated = "false"
) -> Page:
    """Return a page by its path; raises :class:`NotFound`."""
    page = _pages(context, view).tree.paths.get(path.strip("/"))
    if page is None:
        raise NotFound(f"There is no page at the path {path} here.")
    return serialize_page(context, view, page, form, evaluated)


def _pages(context: Context, view: RevisionView) -> Computed:
    if view.computed:
        return compute_pages(context.database, view.revision, view.moment)
    return Computed(tree_of(context.database, view.revision), {}, {})


def _children(view: RevisionView, node: Node) -> Sequence[Node]:
    return () if node.type == "computed" and not view.computed else node.children


def _is_computed_away(view: RevisionView, tree: Tree, place: Place) -> bool:
    """Whether a page is only there where content is computed: a computed page is above it."""
    while not view.computed and place.parent != ROOT:
        place = tree.places[place.parent]
        if place.node.type == "computed":
            return True
    return False


def _text(
    context: Context,
    view: RevisionView,
    node: Node,
    computed: str | None,
    form: PageFormat | None,
    evaluated: Evaluated,
) -> str:
    """Return the text of a page in the form that is asked for, as a field of an object on the wire.

    ``computed`` stands in place of the stored text.
    """
    if form is None or node.type not in ("document", "computed") or (node.type == "computed" and not view.computed):
        return ""
    connection = context.database
    text = load_text(connection, node.text) if computed is None else computed
    evaluate = computed is None and evaluated != "false" and is_readable(text)
    if evaluate:
        text = _evaluate(context, view, node, lower_headings(text), evaluated)
    if form == "markdown":
        return f'"markdown":{quoted(export_page(node.title, text))}'
    edited = text if evaluate else lower_headings(computed) if computed is not None else None
    document = keys.write_document(connection, node.id, node.text, edited)
    return f'"document":{document.decode()}'


def _evaluate(context: Context, view: RevisionView, node: Node, text: str, evaluated: Evaluated) -> str:
    """Return a text with its expressions evaluated, for no particular visitor."""
    from recto.document.expressions.evaluation import evaluate_page

    extras = load_manifest(context.database, view.revision.extras)
    names = {
        "space": {"vars": extras.get("variables", {})},
        "page": {"vars": node.attributes.get("variables", {})},
    }
    with turn_for(text):
        return evaluate_page(text, names, variables_only=evaluated == "deterministic-only")


def _git(view: RevisionView, attributes: Any) -> dict[str, Any]:
    if not (view.metadata and attributes.get("git")):
        return {}
    return {"git": GitObject.model_validate({"oid": view.oids.get(attributes["id"], "")} | attributes["git"])}


def _instant(stored: str) -> datetime:
    return datetime.fromisoformat(stored)
