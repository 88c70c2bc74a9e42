"""Models of APIs: operations, parameters, bodies, responses and their schemas."""

from __future__ import annotations

from recto.frozen import frozen


@frozen
class Schema:
    """The shape of a value.

    - ``type``: in words, such as ``string · date-time``, ``array of Pet``, ``integer or null``.
    - ``facts``: what else holds, in words: its default, its limits, what it may be used for.
    - ``values``: the only ones it may have, or none where any will do.
    - ``fields``: what an object has, or each item of an array; ``alternatives`` are shapes of which ``choice`` says
      how many hold (``one of``, ``any of``).
    - ``cut``: why the content is left out, such as a recursive schema.
    """

    type: str = "any"
    description: str = ""
    facts: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    example: str = ""
    fields: tuple[Field, ...] = ()
    alternatives: tuple[Field, ...] = ()
    choice: str = ""
    cut: str = ""
    deprecated: bool = False


@frozen
class Field:
    """Something with a name and a shape: a property, a parameter (``place`` says where it goes), an alternative."""

    name: str
    schema: Schema
    place: str = ""
    required: bool = False
    deprecated: bool = False
    description: str = ""


@frozen
class Content:
    """A body in one or more media types: its schema and an example, if any."""

    media_types: tuple[str, ...]
    schema: Schema | None = None
    example: str = ""


@frozen
class Body:
    """The body of a request."""

    description: str = ""
    required: bool = False
    contents: tuple[Content, ...] = ()


@frozen
class Response:
    """A response: ``status`` as written, such as ``200``, ``4XX`` or ``default``."""

    status: str
    description: str = ""
    headers: tuple[Field, ...] = ()
    contents: tuple[Content, ...] = ()


@frozen
class Server:
    """The address of an API."""

    url: str
    description: str = ""


@frozen
class Entry:
    """An operation in an outline: its ``group`` is its first tag, or ``Webhooks`` of what the API itself calls.

    The ``path`` of a webhook is its name; ``id`` is the ``operationId``.
    """

    method: str
    path: str
    summary: str
    group: str
    deprecated: bool = False
    is_webhook: bool = False
    id: str = ""
    description: str = ""


@frozen
class Operation:
    """An operation, or a call that the API itself makes (a webhook: its ``path`` is the name).

    ``security`` are authentication methods in words, any of which is enough; ``callbacks`` the calls that the API makes
    in return; ``remark`` names the parts left out.
    """

    method: str
    path: str
    summary: str = ""
    description: str = ""
    deprecated: bool = False
    servers: tuple[Server, ...] = ()
    security: tuple[str, ...] = ()
    parameters: tuple[Field, ...] = ()
    body: Body | None = None
    responses: tuple[Response, ...] = ()
    callbacks: tuple[str, ...] = ()
    remark: str = ""
