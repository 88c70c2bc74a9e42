"""Rows of a space: pages, files, links, revisions, search."""

from __future__ import annotations

from collections.abc import Callable

from dulwich.objects import Commit
from dulwich.repo import Repo
from pypdf import PdfReader

from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests, CreateChangeRequest
from recto.contract.changes import ContentChanges, PageText, UpdatePage, WriteContent
from recto.contract.content import Content
from recto.contract.git import Git
from recto.contract.imports import Imports
from recto.contract.links import Links
from recto.contract.organizations import Organizations
from recto.contract.pdf import Pdfs
from recto.contract.search import Search
from recto.contract.spaces import Spaces
from recto.contract.templates import Templates
from recto.store.locations import GitPlace, SpaceLocation
from recto.tui.widgets.line_field import LineField
from recto.urls import WORKSPACE, Thing, ThingUrl
from support.repositories import MAIN, make_repository
from support.screens import settled, until
from support.web import ADDRESS, TITLE
from tui.reach.row import CONSOLE, Act, Driver, Place, Row, World

PAGES = Place("page tree", lambda world: SpaceLocation(world.space))
PAGE = Place("page", lambda world: SpaceLocation(world.space), ("enter",))
PAGE_LINKS = Place("links of a page", lambda world: SpaceLocation(world.space), ("enter", "b"))
FILES = Place("files of a space", lambda world: SpaceLocation(world.space), ("4",))
LINKS = Place("links of a space", lambda world: SpaceLocation(world.space), ("5",))
IN_REQUEST = Place("page in a change request", lambda world: SpaceLocation(world.space, change_request=world.request))
PAST = Place("page then", lambda world: SpaceLocation(world.space, revision=world.revision), ("enter",))


async def search_space(ada: Driver) -> None:
    await ada.press("s")
    await ada.type("review")
    assert "review" in ada.screen.casefold()


BY_PATH = {"format": CONSOLE, "evaluated": CONSOLE, "metadata": CONSOLE, "computed": CONSOLE}
"""Only the id is wanted."""
WHOLE = {"metadata": CONSOLE, "computed": CONSOLE}
"""What a person never leaves out."""
PAGE_FIELDS = {"format": "shown", "evaluated": CONSOLE, **WHOLE}

IN_REQUEST_PAGE = Place(
    "links of a page in a change request",
    lambda world: SpaceLocation(world.space, change_request=world.request),
    ("enter", "b"),
)
IN_REQUEST_FILES = Place(
    "files in a change request", lambda world: SpaceLocation(world.space, change_request=world.request), ("4",)
)
IN_REQUEST_LINKS = Place(
    "links in a change request", lambda world: SpaceLocation(world.space, change_request=world.request), ("5",)
)
REVISIONS = Place("revisions of a space", lambda world: SpaceLocation(world.space), ("6",))


async def search_organization(ada: Driver) -> None:
    await ada.press("s", "tab")
    await ada.type("review")
    assert "review" in ada.screen.casefold()


LIBRARY_FILES = Place("files that pages show", lambda world: SpaceLocation(world.library), ("4",))
LIBRARY = Place("page with files", lambda world: SpaceLocation(world.library))
FILES_THEN = Place(
    "files of a past revision", lambda world: SpaceLocation(world.library, revision=world.library_revision), ("4",)
)


async def show_uses(ada: Driver) -> None:
    await ada.find("library")
    await ada.press("enter")
    assert "Used in 2:" in ada.screen, ada.screen
    await ada.press("enter")
    assert "Pictures, files and cards" in ada.screen, ada.screen


async def show_file(ada: Driver) -> None:
    """Follow the link to a file."""
    await ada.find("Pictures")
    await ada.press("enter", "slash")
    await ada.type("library.yaml")
    await ada.press("enter", "escape", "enter")
    assert "Used in 2:" in ada.screen, ada.screen


def in_request(act: Act, tab: str) -> Act:
    """Return what begins a change request, looks at the space there, and acts on a tab."""

    async def do(ada: Driver) -> None:
        body = CreateChangeRequest(subject="Other files")
        await ada.call(ChangeRequests.create_change_request, ada.world.library, body)
        await ada.press("r", "w")
        await ada.type("other files")
        await ada.press("enter", tab)
        await act(ada)

    return do


async def show_expression(ada: Driver) -> None:
    """Show a page with the value of a variable in a change request."""
    at = InChangeRequest(ada.world.space, ada.world.request)
    page = (await ada.call(Content.list_pages, at)).pages[0]
    text = 'The page is <code class="expression">page.vars.name</code>.\n'
    change = UpdatePage(page=page.id, document=PageText(markdown=text))
    await ada.call(ContentChanges.write_content, at, WriteContent(changes=(change,)), compat=False)
    await ada.press("r", "g", "enter")
    assert "The page is" in ada.screen, ada.screen


def going_to_path(of: Callable[[World], Thing]) -> Act:
    """Return what goes to an address that names a page by its path."""

    async def go(ada: Driver) -> None:
        assert ada.store.workspace is not None
        await ada.press("f")
        line = ada.pilot.app.focused
        assert isinstance(line, LineField)
        line.value = str(ThingUrl(f"{WORKSPACE}{ada.store.workspace.id}", of(ada.world)))
        await settled(ada.pilot)
        await ada.press("enter")
        assert ("Cards" if "reading" not in str(of(ada.world)) else "Reading") in ada.screen, ada.screen

    return go


PATH = "pictures-and-cards"


async def add_template(ada: Driver) -> None:
    """Add the pages of a template, with a link that leads somewhere."""
    before = (await ada.call(Content.list_pages, Main(ada.world.space))).pages
    await ada.press("T", "enter")
    await ada.type("help")
    await ada.press("enter", "down", "enter")
    await ada.type("contact: https://help.example.org")
    await ada.press("ctrl+s")
    after = (await ada.call(Content.list_pages, Main(ada.world.space))).pages
    assert after[: len(before)] == before and len(after) > len(before), ada.screen
    texts = [
        (await ada.call(Content.get_page, Main(ada.world.space), page.id, format="markdown")).markdown or ""
        for top in after[len(before) :]
        for page in (top, *top.pages)
    ]
    assert any("(https://help.example.org)" in text for text in texts), texts


async def import_from_git(ada: Driver) -> None:
    """Import a branch of a repository on this machine in place of what main has."""
    bare = make_repository(ada.platform.database.path.parent / "docs.git", {"docs/README.md": "# From Git\n"})
    await ada.press("I")
    await ada.paste(str(bare))
    await ada.press("enter", "enter")
    await ada.type("docs")
    await ada.press("enter", "space", "space", "down", "space", "ctrl+s")
    pages = (await ada.call(Content.list_pages, Main(ada.world.space))).pages
    assert [page.title for page in pages] == ["From Git"], ada.screen
    assert ada.store.locations is not None
    assert ada.store.locations.git_place("workspace", ada.world.space) == GitPlace(str(bare), "refs/heads/main", "docs")


async def export_to_git(ada: Driver) -> None:
    """Export to a branch that others have pushed to: what is theirs is imported first, when that is asked."""
    bare = make_repository(ada.platform.database.path.parent / "docs.git", {"README.md": "# Theirs\n"})
    await ada.press("X")
    await ada.paste(str(bare))
    await ada.press("enter", "enter")
    await ada.type("docs")
    await ada.press("enter")
    await ada.type(" once")
    await ada.press("tab", "space", "ctrl+s")
    with Repo(str(bare)) as repo:
        commit = repo[repo.refs[MAIN]]
        assert isinstance(commit, Commit) and b"once" in commit.message, commit
        assert len(commit.parents) == 1


async def remove_legacy(ada: Driver) -> None:
    """Remove the legacy installation, which the palette offers where there is one."""
    space = ada.world.space
    ada.platform.database.write_now(
        lambda connection: connection.insert(
            "git_syncs",
            space=space,
            address="https://git.example/docs.git",
            ref="refs/heads/main",
            directory="",
            repo_name="docs",
            provider="github-legacy",
            updated_at="2026-05-04T10:00:00.000Z",
        )
    )
    await ada.press("r", ":")
    await ada.type("legacy")
    await ada.press("enter", "y")
    assert (await ada.call(Spaces.get_space, space)).git_sync is None, ada.screen


def importing(at: Callable[[World], Main | InChangeRequest]) -> Act:
    """Return what imports a page from an address, saying what is there."""

    async def act(ada: Driver) -> None:
        before = (await ada.call(Content.list_pages, at(ada.world))).pages
        await ada.press("B")
        await ada.type(ADDRESS)
        await ada.press("down", "enter")
        await ada.type("markdown")
        await ada.press("enter", "ctrl+s")
        after = (await ada.call(Content.list_pages, at(ada.world))).pages
        assert [page.title for page in after] == [*(page.title for page in before), TITLE], ada.screen

    return act


BRANCH_FIELDS = {
    "url": "field",
    "ref": "field",
    "repo_project_directory": "field",
    "force": "switch",
    "repo_cache_id": CONSOLE,
    "repo_tree_url": CONSOLE,
    "repo_commit_url": CONSOLE,
    "timestamp": CONSOLE,
    "git_info": CONSOLE,
}


def saving_pdf(at: Callable[[World], Main | InChangeRequest]) -> Act:
    """Return what saves the page that is shown, without those below it, as a PDF."""

    async def act(ada: Driver) -> None:
        file = ada.platform.database.path.parent / "page.pdf"
        await ada.press("W")
        await ada.type(str(file))
        await ada.press("down", "enter")
        await ada.type("only")
        await ada.press("enter", "ctrl+s")
        await until(ada.pilot, lambda: file.exists() and not ada.store.jobs.running)
        await ada.press()
        titles = [page.title for page in (await ada.call(Content.list_pages, at(ada.world))).pages]
        assert PdfReader(file).pages[0].extract_text().partition("\n")[0] in titles, ada.screen

    return act


PDF_FIELDS = {"only": "choice"}

ROWS: tuple[Row, ...] = (
    Row(Pdfs.get_pdf, PAGE, "content.pdf", PDF_FIELDS, act=saving_pdf(lambda world: Main(world.space))),
    Row(
        Pdfs.get_pdf.at(InChangeRequest),
        IN_REQUEST,
        "content.pdf",
        PDF_FIELDS,
        act=saving_pdf(lambda world: InChangeRequest(world.space, world.request)),
    ),
    Row(Git.get_info, PAGES, "space.git_import", act=import_from_git, needs="needs the create role"),
    Row(
        Git.import_branch,
        PAGES,
        "space.git_import",
        {**BRANCH_FIELDS, "standalone": "switch"},
        act=import_from_git,
        needs="needs the create role",
    ),
    Row(
        Git.export_branch,
        PAGES,
        "space.git_export",
        {**BRANCH_FIELDS, "commit_message": "field"},
        act=export_to_git,
        needs="needs the create role",
    ),
    Row(
        Git.remove_legacy_installation,
        PAGES,
        "space.git_legacy",
        act=remove_legacy,
        needs="the space has no legacy installation",
    ),
    Row(
        Imports.import_content,
        PAGES,
        "space.import",
        {"url": "field", "source": "choice"},
        act=importing(lambda world: Main(world.space)),
        needs="needs the create role",
    ),
    Row(
        Imports.import_content.at(InChangeRequest),
        IN_REQUEST,
        "space.import",
        {"url": "field", "source": "choice"},
        act=importing(lambda world: InChangeRequest(world.space, world.request)),
        needs="needs the create role",
    ),
    Row(
        Templates.apply_template,
        PAGES,
        "space.template",
        {"id": "choice", "params": "field"},
        act=add_template,
        needs="needs the edit role",
    ),
    Row(Organizations.get_organization, PAGES),
    Row(Spaces.get_space, PAGES, fields={"share_key": CONSOLE}),
    Row(Content.list_pages, PAGES, fields=WHOLE),
    Row(Content.list_pages.at(InChangeRequest), IN_REQUEST, fields=WHOLE),
    Row(Content.list_pages.at(AtRevision), PAST, fields=WHOLE),
    Row(Content.get_page, PAGE, fields=PAGE_FIELDS),
    Row(Content.get_page.at(InChangeRequest), IN_REQUEST, fields=PAGE_FIELDS),
    Row(Content.get_page.at(AtRevision), PAST, fields=PAGE_FIELDS),
    Row(Content.list_files, FILES, fields=WHOLE),
    Row(Content.list_files.at(InChangeRequest), IN_REQUEST_FILES, fields=WHOLE),
    Row(Content.get_revision.at(AtRevision), PAST, fields=WHOLE),
    Row(ContentChanges.list_changes.at(AtRevision), PAST),
    Row(Content.get_revision, REVISIONS, fields=WHOLE),
    Row(Links.list_links.at(InChangeRequest), IN_REQUEST_LINKS, fields={"status": CONSOLE, "broken_context": CONSOLE}),
    Row(Links.list_page_links.at(InChangeRequest), IN_REQUEST_PAGE),
    Row(Links.list_page_backlinks.at(InChangeRequest), IN_REQUEST_PAGE),
    Row(Search.search_organization, PAGES, "search.scope", {"query": "line"}, act=search_organization),
    Row(Links.list_links, LINKS, fields={"status": CONSOLE}),
    Row(Links.list_page_links, PAGE_LINKS, fields={"status": CONSOLE}),
    Row(Links.list_page_backlinks, PAGE_LINKS),
    Row(Links.list_file_backlinks, LIBRARY_FILES, "list.open", act=show_uses),
    Row(Links.list_file_backlinks.at(InChangeRequest), LIBRARY_FILES, "list.open", act=in_request(show_uses, "4")),
    Row(Content.get_file, LIBRARY, "list.open", WHOLE, act=show_file),
    Row(Content.get_file.at(InChangeRequest), LIBRARY, "list.open", WHOLE, act=in_request(show_file, "1")),
    Row(Content.list_files.at(AtRevision), FILES_THEN, fields=WHOLE),
    Row(Content.get_revision.at(InChangeRequest), IN_REQUEST, "list.open", WHOLE, act=show_expression),
    Row(
        Content.get_page_by_path,
        PAGES,
        "app.jump",
        BY_PATH,
        act=going_to_path(lambda world: Thing(space=world.library, page=PATH)),
    ),
    Row(
        Content.get_page_by_path.at(InChangeRequest),
        PAGES,
        "app.jump",
        BY_PATH,
        act=going_to_path(lambda world: Thing(space=world.space, change_request=world.request, page="pages/reading")),
    ),
    Row(
        Content.get_page_by_path.at(AtRevision),
        PAGES,
        "app.jump",
        BY_PATH,
        act=going_to_path(lambda world: Thing(space=world.library, revision=world.library_revision, page=PATH)),
    ),
    Row(Search.search_space, PAGES, "space.search", {"query": "line"}, act=search_space),
)
