"""The SQLite file of a workspace: connections, transactions and tables."""
