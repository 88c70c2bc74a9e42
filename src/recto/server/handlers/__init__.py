"""The answers to each operation; the handlers of ``recto.contract.spaces`` are in ``recto.server.handlers.spaces``."""
