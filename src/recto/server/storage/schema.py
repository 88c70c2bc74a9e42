"""The tables of a workspace and the numbered steps that bring an older file up to date.

A step, once released, is never changed: a later change is a further step.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from recto.checkpoints import checkpoint

APPLICATION_ID = 0x52435430
"""Marks a SQLite file as Recto's: ``RCT0``."""

_PEOPLE_FIRST: tuple[str, ...] = (
    """
    CREATE TABLE workspace (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE users (
        id TEXT PRIMARY KEY,
        display_name TEXT NOT NULL,
        email TEXT,
        photo_url TEXT,
        created_at TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE tokens (
        hash BLOB PRIMARY KEY, -- SHA-256 of the token; the token itself is never stored
        user TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
        label TEXT NOT NULL,
        created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX tokens_of_user ON tokens (user)",
    """
    CREATE TABLE organizations (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        created_at TEXT NOT NULL,
        type TEXT NOT NULL,
        use_case TEXT NOT NULL,
        plan TEXT NOT NULL,
        default_role TEXT,
        merge_rules TEXT NOT NULL -- JSON
    )
    """,
    """
    CREATE TABLE members (
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        user TEXT NOT NULL REFERENCES users ON DELETE CASCADE,
        role TEXT, -- NULL is a guest
        disabled INTEGER NOT NULL DEFAULT 0,
        sso INTEGER NOT NULL DEFAULT 0,
        joined_at TEXT NOT NULL,
        last_seen_at TEXT,
        PRIMARY KEY (organization, user)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX members_by_user ON members (user)",
    """
    CREATE TABLE collections (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        parent TEXT REFERENCES collections,
        title TEXT NOT NULL,
        description TEXT,
        default_level TEXT, -- a role, 'inherit', or NULL for no access of its own
        position INTEGER NOT NULL, -- among the collections and spaces of its parent
        created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX collections_of_organization ON collections (organization, position, id)",
    "CREATE INDEX collections_of_parent ON collections (parent)",
    """
    CREATE TABLE spaces (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        parent TEXT REFERENCES collections,
        title TEXT NOT NULL,
        emoji TEXT NOT NULL DEFAULT '',
        language TEXT,
        visibility TEXT NOT NULL,
        edit_mode TEXT NOT NULL,
        merge_rules TEXT NOT NULL, -- JSON
        default_level TEXT, -- a role, 'inherit', or NULL for no access of its own
        position INTEGER NOT NULL, -- among the collections and spaces of its parent
        revision TEXT, -- the head of the main content; set by the content engine in the same transaction
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        deleted_at TEXT
    )
    """,
    "CREATE INDEX spaces_of_organization ON spaces (organization, position, id)",
    "CREATE INDEX spaces_of_parent ON spaces (parent)",
)

# Content by its hash. Nothing here is ever changed, and many revisions point at one row.
_SHARED = (
    "CREATE TABLE texts (hash TEXT PRIMARY KEY, body TEXT NOT NULL)",
    # body: JSON [page id, type, attributes, text hash, created, updated, [hashes of the children]]
    "CREATE TABLE nodes (hash TEXT PRIMARY KEY, body TEXT NOT NULL)",
    # body: JSON, the files of a revision, or its variables and reusable contents
    "CREATE TABLE manifests (hash TEXT PRIMARY KEY, body TEXT NOT NULL)",
    "CREATE TABLE blobs (hash TEXT PRIMARY KEY, body BLOB NOT NULL)",
    # The keys of a page's blocks where they do not follow from the text alone; JSON list.
    """CREATE TABLE block_keys (
        page TEXT NOT NULL,
        text TEXT NOT NULL,
        keys TEXT NOT NULL,
        PRIMARY KEY (page, text)
    ) WITHOUT ROWID""",
)

_REVISIONS = (
    """CREATE TABLE revisions (
        id TEXT PRIMARY KEY,
        space TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        change_request TEXT,
        type TEXT NOT NULL,
        parents TEXT NOT NULL,
        merged_from TEXT,
        root TEXT NOT NULL REFERENCES nodes (hash),
        files TEXT NOT NULL REFERENCES manifests (hash),
        extras TEXT NOT NULL REFERENCES manifests (hash),
        created_by TEXT,
        created_at TEXT NOT NULL,
        git TEXT
    )""",
    "CREATE INDEX revisions_of_change_request ON revisions (change_request) WHERE change_request IS NOT NULL",
    "CREATE INDEX revisions_of_space ON revisions (space, created_at)",
    # Conflicts that cannot be marked in a text, until a later revision resolves them.
    """CREATE TABLE conflicts (
        revision TEXT NOT NULL REFERENCES revisions (id) ON DELETE CASCADE,
        page TEXT NOT NULL,
        field TEXT NOT NULL,
        title TEXT NOT NULL,
        base TEXT,
        ours TEXT,
        theirs TEXT,
        PRIMARY KEY (revision, page, field)
    ) WITHOUT ROWID""",
)

_CHANGE_REQUESTS = (
    """CREATE TABLE change_requests (
        id TEXT PRIMARY KEY,
        space TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        status TEXT NOT NULL,
        subject TEXT NOT NULL DEFAULT '',
        description TEXT,
        created_by TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        revision TEXT NOT NULL,
        revision_initial TEXT NOT NULL,
        revision_merged_ancestor TEXT,
        revision_merged TEXT,
        UNIQUE (space, number)
    )""",
    "CREATE INDEX change_requests_by_status ON change_requests (space, status, updated_at)",
    """CREATE TABLE reviews (
        id TEXT PRIMARY KEY,
        change_request TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
        revision TEXT NOT NULL,
        reviewer TEXT NOT NULL,
        requested_by TEXT,
        status TEXT NOT NULL,
        outdated INTEGER NOT NULL DEFAULT 0,
        comment TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
    )""",
    "CREATE INDEX reviews_of_change_request ON reviews (change_request, created_at)",
    """CREATE TABLE review_requests (
        change_request TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
        user TEXT NOT NULL,
        revision TEXT NOT NULL,
        requested_by TEXT NOT NULL,
        subject TEXT,
        created_at TEXT NOT NULL,
        PRIMARY KEY (change_request, user)
    ) WITHOUT ROWID""",
)

_COMMENTS = (
    """CREATE TABLE comments (
        id TEXT PRIMARY KEY,
        space TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        change_request TEXT REFERENCES change_requests (id) ON DELETE CASCADE,
        review TEXT,
        revision TEXT NOT NULL,
        page TEXT,
        node TEXT,
        preview TEXT,
        cell TEXT,
        body TEXT NOT NULL,
        posted_by TEXT NOT NULL,
        posted_at TEXT NOT NULL,
        edited_at TEXT,
        resolved_at TEXT,
        resolved_by TEXT
    )""",
    "CREATE INDEX comments_of_space ON comments (space, change_request, posted_at)",
    "CREATE INDEX comments_of_change_request ON comments (change_request) WHERE change_request IS NOT NULL",
    """CREATE TABLE replies (
        id TEXT PRIMARY KEY,
        comment TEXT NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
        body TEXT NOT NULL,
        posted_by TEXT NOT NULL,
        posted_at TEXT NOT NULL,
        edited_at TEXT
    )""",
    "CREATE INDEX replies_of_comment ON replies (comment, posted_at)",
    # subject: a comment or a reply
    """CREATE TABLE reactions (
        subject TEXT NOT NULL,
        emoji TEXT NOT NULL,
        user TEXT NOT NULL,
        reacted_at TEXT NOT NULL,
        PRIMARY KEY (subject, emoji, user)
    ) WITHOUT ROWID""",
)

_SEARCH = (
    # A page of a space's main content, cut at its headings; start and end are places in the text, in characters.
    """CREATE TABLE search_sections (
        id INTEGER PRIMARY KEY,
        space TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        page TEXT NOT NULL,
        anchor TEXT NOT NULL,
        title TEXT NOT NULL,
        text TEXT,
        start INTEGER NOT NULL,
        end INTEGER NOT NULL
    )""",
    "CREATE INDEX search_sections_of_page ON search_sections (space, page)",
    """CREATE VIRTUAL TABLE search USING fts5 (
        title, heading, body, tokenize = 'unicode61 remove_diacritics 2'
    )""",
    """CREATE TRIGGER search_sections_gone AFTER DELETE ON search_sections
       BEGIN DELETE FROM search WHERE rowid = old.id; END""",
)

_CONTENT_FIRST: tuple[str, ...] = _SHARED + _REVISIONS + _CHANGE_REQUESTS + _COMMENTS + _SEARCH

_SITES_FIRST: tuple[str, ...] = (
    """
    CREATE TABLE sites (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        type TEXT NOT NULL,
        title TEXT NOT NULL,
        basename TEXT,
        hostname TEXT,
        visibility TEXT NOT NULL,
        published INTEGER NOT NULL DEFAULT 0,
        agents_context TEXT NOT NULL DEFAULT 'included',
        created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX sites_of_organization ON sites (organization, created_at, id)",
    """
    CREATE TABLE section_groups (
        id TEXT PRIMARY KEY,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        parent TEXT REFERENCES section_groups,
        title TEXT NOT NULL,
        icon TEXT,
        position INTEGER NOT NULL -- among the sections and groups of its parent
    )
    """,
    "CREATE INDEX section_groups_of_site ON section_groups (site, position)",
    "CREATE INDEX section_groups_of_parent ON section_groups (parent)",
    """
    CREATE TABLE sections (
        id TEXT PRIMARY KEY,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        parent TEXT REFERENCES section_groups,
        title TEXT NOT NULL,
        description TEXT,
        icon TEXT,
        path TEXT NOT NULL,
        condition TEXT,
        is_default INTEGER NOT NULL DEFAULT 0, -- one section of a site that has any
        position INTEGER NOT NULL, -- among the sections and groups of its parent
        UNIQUE (site, path)
    )
    """,
    "CREATE INDEX sections_of_parent ON sections (parent)",
    """
    CREATE TABLE site_spaces (
        id TEXT PRIMARY KEY,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        section TEXT REFERENCES sections ON DELETE CASCADE,
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        path TEXT NOT NULL,
        title TEXT, -- NULL is the space's own
        condition TEXT,
        is_default INTEGER NOT NULL DEFAULT 0, -- one site space of each section, or of the site without sections
        position INTEGER NOT NULL -- among the site spaces of its section, or of the site's root
    )
    """,
    "CREATE UNIQUE INDEX site_spaces_by_path ON site_spaces (site, coalesce(section, ''), path)",
    "CREATE INDEX site_spaces_of_site ON site_spaces (site, position)",
    "CREATE INDEX site_spaces_of_section ON site_spaces (section)",
    "CREATE INDEX site_spaces_of_space ON site_spaces (space)",
)

_SITES_IMPORTS: tuple[str, ...] = (
    # What a folder held when it was last imported is a revision of the space, on its main line or beside it.
    """
    CREATE TABLE imports (
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        folder TEXT NOT NULL, -- the real path of the book's folder
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        revision TEXT NOT NULL,
        PRIMARY KEY (organization, folder)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX imports_of_space ON imports (space)",
    """
    CREATE TABLE imported_sites (
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        folder TEXT NOT NULL,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        PRIMARY KEY (organization, folder)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX imported_sites_of_site ON imported_sites (site)",
)

_PEOPLE_SECOND: tuple[str, ...] = (
    """
    CREATE TABLE teams (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        title TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (organization, id)
    )
    """,
    """
    CREATE TABLE team_members (
        team TEXT NOT NULL,
        organization TEXT NOT NULL, -- the team's
        user TEXT NOT NULL,
        role TEXT NOT NULL, -- 'owner' or 'member'
        PRIMARY KEY (team, user),
        FOREIGN KEY (organization, team) REFERENCES teams (organization, id) ON DELETE CASCADE,
        FOREIGN KEY (organization, user) REFERENCES members (organization, user) ON DELETE CASCADE
    ) WITHOUT ROWID
    """,
    "CREATE INDEX team_members_by_member ON team_members (organization, user)",
    """
    CREATE TABLE saml_providers (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        label TEXT NOT NULL,
        entity_id TEXT,
        certificate TEXT,
        sso_url TEXT,
        default_team TEXT REFERENCES teams ON DELETE SET NULL,
        default_role TEXT,
        created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX saml_providers_of_organization ON saml_providers (organization, created_at, id)",
    "CREATE INDEX saml_providers_by_team ON saml_providers (default_team)",
    """
    CREATE TABLE visitor_keys (
        organization TEXT PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
        key BLOB NOT NULL -- signs what its members claim as visitors of its sites
    ) WITHOUT ROWID
    """,
    "ALTER TABLE organizations ADD COLUMN email_domains TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE organizations ADD COLUMN hostname TEXT",
    # The default content: at most one of the three.
    "ALTER TABLE organizations ADD COLUMN default_site TEXT REFERENCES sites ON DELETE SET NULL",
    "ALTER TABLE organizations ADD COLUMN default_space TEXT REFERENCES spaces ON DELETE SET NULL",
    "ALTER TABLE organizations ADD COLUMN default_collection TEXT REFERENCES collections ON DELETE SET NULL",
    "ALTER TABLE organizations ADD COLUMN logo TEXT",
    "ALTER TABLE organizations ADD COLUMN sso INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE organizations ADD COLUMN ai INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE organizations ADD COLUMN invite_links INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX organizations_by_default_site ON organizations (default_site)",
    "CREATE INDEX organizations_by_default_space ON organizations (default_space)",
    "CREATE INDEX organizations_by_default_collection ON organizations (default_collection)",
    """
    CREATE TABLE agent_instructions (
        organization TEXT PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
        instructions TEXT NOT NULL, -- JSON: a rich-text document
        updated_at TEXT NOT NULL,
        updated_by TEXT NOT NULL -- the id of a user, who may be gone
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE link_invites (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        space TEXT REFERENCES spaces ON DELETE CASCADE,
        collection TEXT REFERENCES collections ON DELETE CASCADE,
        role TEXT NOT NULL, -- in the organization, or on the space or collection where there is one
        created_at TEXT NOT NULL,
        CHECK (space IS NULL OR collection IS NULL)
    )
    """,
    "CREATE INDEX link_invites_of_organization ON link_invites (organization, created_at, id)",
    "CREATE INDEX link_invites_of_space ON link_invites (space)",
    "CREATE INDEX link_invites_of_collection ON link_invites (collection)",
    # Positions have gaps between them, so that a move changes one row.
    "UPDATE collections SET position = position * 65536",
    "UPDATE spaces SET position = position * 65536",
)

_CONTENT_SECOND: tuple[str, ...] = (
    # The texts, a JSON list of hashes, from which the keys are carried when they are asked for; ``keys`` is '' then.
    "ALTER TABLE block_keys ADD COLUMN befores TEXT",
    # Taking words out of the index costs more than all else in a merge, so it is done later.
    "DROP TRIGGER search_sections_gone",
    # What a text points at, as the reader of that number found it; it is read again where it is not here.
    """CREATE TABLE text_references (
        text TEXT PRIMARY KEY,
        reader INTEGER NOT NULL,
        body TEXT NOT NULL
    ) WITHOUT ROWID""",
)

_SITES_SECOND: tuple[str, ...] = (
    "ALTER TABLE sites ADD COLUMN proxy TEXT",  # a host and a path on it
    "ALTER TABLE sites ADD COLUMN adaptive INTEGER NOT NULL DEFAULT 0",  # whether conditions count
    "ALTER TABLE sites ADD COLUMN visitor_schema TEXT",  # JSON; NULL until one is set
    "ALTER TABLE sites ADD COLUMN visitor_schema_set_at TEXT",
    """
    CREATE TABLE share_links (
        id TEXT PRIMARY KEY,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        name TEXT NOT NULL,
        active INTEGER NOT NULL DEFAULT 1,
        key TEXT NOT NULL UNIQUE, -- the secret that the link's address carries
        created_at TEXT NOT NULL
    )
    """,
    "CREATE INDEX share_links_of_site ON share_links (site, created_at, id)",
    """
    CREATE TABLE redirects (
        id TEXT PRIMARY KEY,
        site TEXT NOT NULL REFERENCES sites ON DELETE CASCADE,
        source TEXT NOT NULL,
        kind TEXT NOT NULL, -- of the destination, which has those of the next four that go with it
        section TEXT REFERENCES sections ON DELETE CASCADE,
        site_space TEXT REFERENCES site_spaces ON DELETE CASCADE,
        page TEXT,
        url TEXT,
        permanent INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL,
        UNIQUE (site, source)
    )
    """,
    "CREATE INDEX redirects_of_section ON redirects (section)",
    "CREATE INDEX redirects_of_site_space ON redirects (site_space)",
)

_PEOPLE_THIRD: tuple[str, ...] = (
    "ALTER TABLE spaces ADD COLUMN icon TEXT",
)  # an address; there is an emoji or an icon

_CONTENT_FOURTH: tuple[str, ...] = (
    # The queue of an index: by ``step``, a page of the main content or a text, in order.
    """CREATE TABLE index_queue (
        step TEXT NOT NULL,
        space TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        PRIMARY KEY (step, space, name)
    ) WITHOUT ROWID""",
    # A search by a single letter matches most of the table: an index of such prefixes gives the first rows at once.
    "INSERT INTO index_queue SELECT DISTINCT 'search', space, page FROM search_sections",
    "DELETE FROM search_sections",
    "CREATE INDEX search_sections_of_space ON search_sections (space)",
    "DROP TABLE search",
    """CREATE VIRTUAL TABLE search USING fts5 (
        title, heading, body, prefix = '1', tokenize = 'unicode61 remove_diacritics 2'
    )""",
)

_SITES_FIFTH: tuple[str, ...] = (
    # The report of the last import of a space's folder.
    """
    CREATE TABLE import_reports (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        folder TEXT NOT NULL,
        imported_at TEXT NOT NULL,
        findings TEXT NOT NULL -- JSON: a list of messages, each with its lines
    ) WITHOUT ROWID
    """,
)

_SITES_SIXTH: tuple[str, ...] = (
    """
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        what TEXT NOT NULL, -- without credentials
        space TEXT REFERENCES spaces ON DELETE CASCADE,
        caller TEXT NOT NULL,
        state TEXT NOT NULL,
        process INTEGER, -- the process in which it runs
        step TEXT NOT NULL DEFAULT '',
        done INTEGER NOT NULL DEFAULT 0,
        total INTEGER,
        message TEXT NOT NULL DEFAULT '',
        counts TEXT NOT NULL DEFAULT '{}', -- JSON
        started_at TEXT NOT NULL,
        ended_at TEXT
    )
    """,
    "CREATE INDEX jobs_of_space ON jobs (space)",
    # The report of the last job that wrote a space.
    """
    CREATE TABLE job_reports (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        job INTEGER NOT NULL REFERENCES jobs ON DELETE CASCADE,
        what TEXT NOT NULL,
        findings TEXT NOT NULL -- JSON: a list of messages, each with its lines
    ) WITHOUT ROWID
    """,
    "CREATE INDEX job_reports_of_job ON job_reports (job)",
    "INSERT INTO jobs (kind, what, space, caller, state, started_at, ended_at)"
    " SELECT 'import of a folder', folder, space, '', 'finished', imported_at, imported_at FROM import_reports",
    "INSERT INTO job_reports (space, job, what, findings)"
    " SELECT import_reports.space, jobs.id, folder, findings FROM import_reports JOIN jobs USING (space)",
    "DROP TABLE import_reports",
)

_SITES_SEVENTH: tuple[str, ...] = (
    # The paths that exports gave to what had none, by the id of a page, a file or a reusable content.
    """
    CREATE TABLE paths (
        space TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
        item TEXT NOT NULL,
        path TEXT NOT NULL,
        PRIMARY KEY (space, item)
    ) WITHOUT ROWID
    """,
)

_GIT_EIGHTH: tuple[str, ...] = (
    # No address here has credentials. ``oid`` is the commit, and ``revision`` the revision with the same content, at
    # which the space and its branch were last alike; ``blobs`` are the files of that commit by
    # the ids of the pages and files that they are, JSON.
    """
    CREATE TABLE git_syncs (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        address TEXT NOT NULL,
        ref TEXT NOT NULL,
        directory TEXT NOT NULL,
        repo_name TEXT NOT NULL,
        provider TEXT,
        url TEXT,
        tree_url TEXT,
        commit_url TEXT,
        cache TEXT,
        oid TEXT,
        revision TEXT,
        blobs TEXT NOT NULL DEFAULT '{}',
        happened_at TEXT,
        updated_at TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)

_CONTENT_NINTH: tuple[str, ...] = (
    # When the comments and the reviews last changed; NULL as long as they have not since this step.
    "ALTER TABLE change_requests ADD COLUMN comments_updated_at TEXT",
    "ALTER TABLE change_requests ADD COLUMN reviews_updated_at TEXT",
    "ALTER TABLE spaces ADD COLUMN comments_updated_at TEXT",
)

_GIT_TENTH: tuple[str, ...] = (
    # The last push of a space: its newest commit, and what to store once it is known to have arrived.
    # ``commits`` are the ``git`` of revisions by their ids, ``blobs`` as in ``git_syncs``, ``paths`` as in ``paths``,
    # all three JSON.
    """
    CREATE TABLE git_pushes (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        address TEXT NOT NULL,
        ref TEXT NOT NULL,
        directory TEXT NOT NULL,
        oid TEXT NOT NULL,
        revision TEXT NOT NULL,
        commits TEXT NOT NULL,
        blobs TEXT NOT NULL,
        paths TEXT NOT NULL
    ) WITHOUT ROWID
    """,
)

_SITES_ELEVENTH: tuple[str, ...] = (
    # What a job found apart from its reports on spaces, JSON as in those.
    "ALTER TABLE jobs ADD COLUMN findings TEXT NOT NULL DEFAULT '[]'",
)

_SITES_TWELFTH: tuple[str, ...] = (
    # Whether a job still runs is seen by its lock: numbers of processes are used again.
    "ALTER TABLE jobs DROP COLUMN process",
)

_SPECIFICATIONS_THIRTEENTH: tuple[str, ...] = (
    # ``job`` is the last one that processed the source: while it runs, ``state`` holds; ``errors`` are a JSON list of
    # messages.
    """
    CREATE TABLE specifications (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        slug TEXT NOT NULL,
        source_url TEXT,
        visibility TEXT NOT NULL DEFAULT 'private',
        state TEXT NOT NULL,
        job INTEGER NOT NULL,
        error_code TEXT,
        errors TEXT NOT NULL DEFAULT '[]',
        failing_since TEXT,
        processed_at TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (organization, slug)
    ) WITHOUT ROWID
    """,
    # ``source`` is the text as it was read and ``content`` the same as JSON, both compressed by zlib; ``content`` is
    # NULL where the source is JSON. ``digest`` tells sources apart.
    """
    CREATE TABLE specification_versions (
        id TEXT PRIMARY KEY,
        specification TEXT NOT NULL REFERENCES specifications ON DELETE CASCADE,
        number INTEGER NOT NULL,
        digest TEXT NOT NULL,
        source BLOB NOT NULL,
        content BLOB,
        created_at TEXT NOT NULL,
        UNIQUE (specification, number)
    )
    """,
)

_TRANSLATIONS_FOURTEENTH: tuple[str, ...] = (
    # ``job`` is the last run, and ``is_complete`` says whether it ended well. ``result`` is the space with the
    # translation, ``revision`` its main content after the last run, ``translated`` the revision with what the engine
    # wrote, ``change_request`` the last one with contradictions. ``guidance`` identifies the instructions and the
    # glossary of the last run. Durations are in milliseconds. The spaces may be gone, so nothing refers to them.
    """
    CREATE TABLE translations (
        id TEXT PRIMARY KEY,
        organization TEXT NOT NULL REFERENCES organizations ON DELETE CASCADE,
        source TEXT NOT NULL,
        source_language TEXT NOT NULL,
        language TEXT NOT NULL,
        instructions TEXT NOT NULL,
        job INTEGER,
        is_complete INTEGER NOT NULL DEFAULT 0,
        result TEXT,
        revision TEXT,
        translated TEXT,
        change_request TEXT,
        guidance TEXT,
        runs INTEGER NOT NULL DEFAULT 0,
        total_words INTEGER NOT NULL DEFAULT 0,
        total_pages INTEGER NOT NULL DEFAULT 0,
        total_duration INTEGER NOT NULL DEFAULT 0,
        latest_run_duration INTEGER NOT NULL DEFAULT 0,
        latest_pages INTEGER NOT NULL DEFAULT 0,
        latest_words INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (organization, source, language)
    )
    """,
    # ``digest`` is that of the texts of the source's page that were translated last.
    """
    CREATE TABLE translated_pages (
        translation TEXT NOT NULL REFERENCES translations ON DELETE CASCADE,
        page TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (translation, page)
    ) WITHOUT ROWID
    """,
)

_SPECIFICATIONS_FIFTEENTH: tuple[str, ...] = (
    # The ids and slugs of specifications that the main content of a space has pages computed from.
    """
    CREATE TABLE computed_from (
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        specification TEXT NOT NULL,
        PRIMARY KEY (space, specification)
    ) WITHOUT ROWID
    """,
    "INSERT INTO index_queue SELECT 'computed', id, '' FROM spaces WHERE revision IS NOT NULL",
)

_CONTENT_SIXTEENTH: tuple[str, ...] = (
    # A list is read in its order; else each page of it sorts all change requests, with all that is counted of them.
    "CREATE INDEX change_requests_by_creation ON change_requests (space, status, created_at, number, id)",
)

_GIT_SEVENTEENTH: tuple[str, ...] = (
    # What was last known of the branches that a space was synchronized with before that of ``git_syncs``.
    """
    CREATE TABLE earlier_git_syncs (
        space TEXT NOT NULL REFERENCES spaces ON DELETE CASCADE,
        address TEXT NOT NULL,
        ref TEXT NOT NULL,
        directory TEXT NOT NULL,
        oid TEXT,
        revision TEXT,
        happened_at TEXT,
        blobs TEXT NOT NULL,
        tree_url TEXT,
        commit_url TEXT,
        provider TEXT,
        url TEXT,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (space, address, ref, directory)
    ) WITHOUT ROWID
    """,
)

_TRANSLATIONS_EIGHTEENTH: tuple[str, ...] = (
    # Pages and reusable contents whose translation a change request holds; ``base`` is the revision with what the
    # engine wrote before, from which it is merged again where the change request is archived.
    """
    CREATE TABLE waiting_pages (
        translation TEXT NOT NULL REFERENCES translations ON DELETE CASCADE,
        page TEXT NOT NULL,
        change_request TEXT NOT NULL,
        base TEXT NOT NULL,
        PRIMARY KEY (translation, page)
    ) WITHOUT ROWID
    """,
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _PEOPLE_FIRST + _CONTENT_FIRST + _SITES_FIRST + _SITES_IMPORTS,
    _PEOPLE_SECOND + _CONTENT_SECOND + _SITES_SECOND,
    _PEOPLE_THIRD,
    _CONTENT_FOURTH,
    _SITES_FIFTH,
    _SITES_SIXTH,
    _SITES_SEVENTH,
    _GIT_EIGHTH,
    _CONTENT_NINTH,
    _GIT_TENTH,
    _SITES_ELEVENTH,
    _SITES_TWELFTH,
    _SPECIFICATIONS_THIRTEENTH,
    _TRANSLATIONS_FOURTEENTH,
    _SPECIFICATIONS_FIFTEENTH,
    _CONTENT_SIXTEENTH,
    _GIT_SEVENTEENTH,
    _TRANSLATIONS_EIGHTEENTH,
)
"""The statements of each step, oldest first; a file's ``user_version`` is the number of steps it has seen."""


class WorkspaceError(Exception):
    """A file that cannot be used as a workspace; the message is a sentence that names it."""


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Migrate the file to the newest step, wholly or not at all.

    Raises :class:`WorkspaceError` where it is not SQLite, not Recto's, or from a newer Recto.
    """
    try:
        if _has_pending(connection, path):
            _advance(connection, path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise WorkspaceError(f"{path} is not a workspace of Recto: it is not a SQLite file.") from error
        raise


def _has_pending(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether steps are left to do; refuse a file that is not a workspace."""
    application_id = _pragma(connection, "application_id")
    version = _pragma(connection, "user_version")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    empty = application_id == 0 and version == 0 and tables == 0
    if application_id != APPLICATION_ID and not empty:
        raise WorkspaceError(f"{path} is a SQLite file, but not a workspace of Recto.")
    if version > len(MIGRATIONS):
        raise WorkspaceError(f"{path} was made by a newer version of Recto. Update Recto to open it.")
    return version < len(MIGRATIONS)


def _advance(connection: sqlite3.Connection, path: Path) -> None:
    """Do the remaining steps; another process may have done them during the wait for the lock."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _has_pending(connection, path):
            for step in MIGRATIONS[_pragma(connection, "user_version") :]:
                for statement in step:
                    connection.execute(statement)
            checkpoint("database.before-migration-commit")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
