"""What the cursor among the organizations stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recto.contract.spaces import Space
from recto.tui.screens.organizations import tree as tree

if TYPE_CHECKING:
    from recto.contract.collections import Collection
    from recto.contract.organizations import Organization
    from recto.contract.sites import Site


@dataclass(frozen=True, slots=True)
class Selection:
    """An item of the tree and what is known of it; ``guide`` is the id of the guide's organization."""

    kind: str = ""
    id: str = ""
    organization: Organization | None = None
    thing: Organization | Collection | Space | Site | None = None
    guide: str | None = None

    @property
    def space(self) -> Space | None:
        """The space, where it is one."""
        return self.thing if isinstance(self.thing, Space) else None

    @property
    def collection(self) -> str | None:
        """The id of the collection, or of the one that its space lies in."""
        if self.kind == tree.COLLECTION:
            return self.id
        return self.space.parent if self.space is not None else None

    @property
    def is_guide(self) -> bool:
        """Whether it is the guide's organization."""
        return self.kind == tree.ORGANIZATION and self.guide is not None and self.id == self.guide

    @property
    def address(self) -> str | None:
        """Where it is in the platform's web app."""
        thing = self.thing or self.organization
        return (thing.urls.app or thing.urls.location) if thing is not None else None
