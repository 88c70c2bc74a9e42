"""The platform itself, embedded: it answers the contract's operations from a SQLite file."""
