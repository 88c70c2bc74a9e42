"""API descriptions: OpenAPI 3.0 and 3.1 and Swagger 2.0."""
