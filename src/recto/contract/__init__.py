"""The platform's API: models and operations, declared once for both ends."""
