"""The tables of people and places: users, organizations, members, collections, spaces, tokens."""

from __future__ import annotations

FIRST: tuple[str, ...] = (
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
"""The statements of the first step."""

SECOND: tuple[str, ...] = (
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
    # Shown first: at most one of the three.
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
    # Places on a shelf have room between them, so that a move changes one row.
    "UPDATE collections SET position = position * 65536",
    "UPDATE spaces SET position = position * 65536",
)
"""The statements of the second step."""

THIRD: tuple[str, ...] = ("ALTER TABLE spaces ADD COLUMN icon TEXT",)  # an address; there is an emoji or an icon
"""The statements of the third step."""
