"""A description of an API with all that operations have, and a page that shows it."""

from __future__ import annotations

from recto.document.markdown.blocks import Block
from recto.document.openapi.api_model import Operation
from recto.document.openapi.description import read_description
from recto.tui.render.surroundings import Missing, Shapes, Surroundings

PETS = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
servers:
  - {url: "https://{region}.example.com/v1", description: Live, variables: {region: {default: eu}}}
security: [{key: []}]
paths:
  /pets:
    parameters:
      - {name: tenant, in: header, schema: {type: string}}
    get:
      summary: List pets
      description: All of **them**.
      security: [{oauth: [read, write]}, {}]
      parameters:
        - name: limit
          in: query
          description: How many
          schema: {type: integer, default: 20, minimum: 1, maximum: 100}
        - {name: tenant, in: header, required: true, deprecated: true, schema: {type: string, format: uuid}}
        - $ref: "#/components/parameters/Since"
      responses:
        200:
          description: The pets
          headers: {X-Next: {description: The next page, schema: {type: string}}}
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
              example: [{name: Rex}]
        default: {$ref: "#/components/responses/Problem"}
  /pets/{petId}:
    put:
      deprecated: true
      parameters:
        - {name: verbose, in: query, schema: {type: [boolean, "null"]}}
        - {name: petId, in: path, schema: {type: integer, format: int64}}
      requestBody:
        required: true
        description: What it is to be
        content:
          application/json: {schema: {$ref: "#/components/schemas/Pet"}}
          application/xml: {schema: {$ref: "#/components/schemas/Pet"}}
webhooks:
  petSold:
    post: {summary: A pet was sold, responses: {"200": {description: Heard}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    oauth: {type: oauth2}
  parameters:
    Since: {name: since, in: query, schema: {type: string, format: date-time}}
  responses:
    Problem: {description: It failed, content: {application/problem+json: {schema: {type: string}}}}
  schemas:
    Named:
      type: object
      description: Has a name
      required: [name]
      properties:
        name: {type: string, minLength: 1, maxLength: 30, examples: [Rex]}
    Pet:
      allOf:
        - $ref: "#/components/schemas/Named"
        - type: object
          required: [kind]
          properties:
            kind: {enum: [cat, dog]}
            friends: {type: array, items: {$ref: "#/components/schemas/Pet"}, maxItems: 3}
            home: {oneOf: [{$ref: "#/components/schemas/Street"}, {type: string, title: Zoo, description: Its name}]}
            tags: {type: object, additionalProperties: {type: string}}
            born: {anyOf: [{type: string, format: date}, {type: "null"}]}
    Street: {type: object, properties: {name: {type: string}, number: {type: integer, exclusiveMinimum: 0}}}
"""

PAGE = """\
# Pets

{% openapi src="pets.yaml" path="/pets" method="get" %}
[pets.yaml](pets.yaml)
{% endopenapi %}

{% openapi-operation spec="pets" path="/pets/{id}" method="put" %}
{% endopenapi-operation %}

{% openapi-webhook spec="pets" name="petSold" %}
{% endopenapi-webhook %}

{% openapi-schemas spec="pets" schemas="Pet,Street" %}
{% endopenapi-schemas %}

After it.
"""


def around_pets(missing: Missing | None = None) -> Surroundings:
    """Return what a page is drawn with where the description is known, or why it is not."""
    pets = read_description(PETS.encode())

    def describe(block: Block) -> Operation | Shapes | Missing:
        attributes = block.attributes
        if missing is not None:
            return missing
        if block.name == "openapi-schemas":
            return Shapes(pets.schemas(tuple(attributes["schemas"].split(","))))
        if block.name == "openapi-webhook":
            return pets.webhook(attributes["name"])
        return pets.operation(attributes["path"], attributes["method"])

    return Surroundings(described=describe)
