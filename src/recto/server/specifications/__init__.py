"""OpenAPI specifications of organizations."""
