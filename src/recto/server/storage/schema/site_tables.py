"""The tables of sites and their structure, of imports of folders, and of jobs."""

from __future__ import annotations

FIRST: tuple[str, ...] = (
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
"""The statements of the first step."""

SECOND: tuple[str, ...] = (
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
"""The statements of the second step."""

IMPORTS: tuple[str, ...] = (
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
"""The statements for imports in the first step."""

FIFTH: tuple[str, ...] = (
    # What the last import of a space's folder had to say.
    """
    CREATE TABLE import_reports (
        space TEXT PRIMARY KEY REFERENCES spaces ON DELETE CASCADE,
        folder TEXT NOT NULL,
        imported_at TEXT NOT NULL,
        findings TEXT NOT NULL -- JSON: a list of messages, each with its lines
    ) WITHOUT ROWID
    """,
)
"""The statements of the fifth step."""

SIXTH: tuple[str, ...] = (
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
    # What the last job that wrote a space had to say about it.
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
"""The statements of the sixth step."""

SEVENTH: tuple[str, ...] = (
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
"""The statements of the seventh step."""

ELEVENTH: tuple[str, ...] = (
    # What a job found apart from its reports on spaces, JSON as in those.
    "ALTER TABLE jobs ADD COLUMN findings TEXT NOT NULL DEFAULT '[]'",
)
"""The statements of the eleventh step."""

TWELFTH: tuple[str, ...] = (
    # Whether a job still runs is seen by its lock: numbers of processes are used again.
    "ALTER TABLE jobs DROP COLUMN process",
)
"""The statements of the twelfth step."""
