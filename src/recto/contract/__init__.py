"""What the platform's API says: models and operations, declared once for both ends."""
