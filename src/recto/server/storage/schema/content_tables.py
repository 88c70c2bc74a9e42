"""The tables of content: what revisions share, revisions, change requests, reviews, comments and the search index."""

from __future__ import annotations

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
    # What a merge could not decide and no text can hold between markers, until a later revision settles it.
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

FIRST: tuple[str, ...] = _SHARED + _REVISIONS + _CHANGE_REQUESTS + _COMMENTS + _SEARCH
"""The statements of the first step, after those of the directory."""

SECOND: tuple[str, ...] = (
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
"""The statements of the second step."""

FOURTH: tuple[str, ...] = (
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
"""The statements of the fourth step."""

NINTH: tuple[str, ...] = (
    # When the comments and the reviews last changed; NULL as long as they have not since this step.
    "ALTER TABLE change_requests ADD COLUMN comments_updated_at TEXT",
    "ALTER TABLE change_requests ADD COLUMN reviews_updated_at TEXT",
    "ALTER TABLE spaces ADD COLUMN comments_updated_at TEXT",
)
"""The statements of the ninth step."""

SIXTEENTH: tuple[str, ...] = (
    # A list is read in its order; else each page of it sorts all change requests, with all that is counted of them.
    "CREATE INDEX change_requests_by_creation ON change_requests (space, status, created_at, number, id)",
)
"""The statements of the sixteenth step."""
