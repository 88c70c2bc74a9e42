from __future__ import annotations

import subprocess
import sys
from functools import cached_property

from recto.client.api import Api
from recto.contract.api import RESOURCES
from support.notes import FakeTransport


def test_each_resource_of_the_contract_has_its_attribute() -> None:
    api = Api(FakeTransport(lambda operation, arguments: None))
    names = [name for name, value in vars(Api).items() if isinstance(value, cached_property)]
    assert {type(getattr(api, name)) for name in names} == set(RESOURCES)
    assert len(names) == len(RESOURCES)


def test_nothing_heavy_is_imported_before_the_first_call() -> None:
    program = (
        "import sys\n"
        "from recto.client import api, paging, sender\n"
        "from recto.store import drafts, keeper, places, store, workspace\n"
        "sender.connect('http://localhost', 'token')\n"
        "sender.embed(None, 'token')\n"
        "print([name for name in ('httpx', 'pydantic', 'recto.contract', 'textual') if name in sys.modules])\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
