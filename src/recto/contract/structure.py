"""The structure of a site: sections, groups of them, and the site spaces that link spaces to the site."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from recto.contract.common import Ids, Limit, ListPage, Urls
from recto.contract.model import LEFT_OUT, Body, Model, none_of
from recto.contract.operation import Resource, delete, get, patch, post
from recto.contract.positions import Position
from recto.contract.spaces import Space

ItemType = Literal["site-space", "site-section", "site-section-group", "site-external-link"]
SitePath = Annotated[str, Field(min_length=1, max_length=100)]
Condition = Annotated[str, Field(max_length=1024)]
Title = Annotated[str, Field(min_length=1)]

Localized = dict[str, str]
"""A text in other languages, by their codes."""


class SiteSpace(Model):
    """The link between a site and a space."""

    object: Literal["site-space"] = "site-space"
    id: str
    path: str = ""
    section: str | None = None
    space: Space | None = None
    title: str = ""
    localized_title: Localized = Field(default_factory=dict)
    default: bool = False
    condition: str | None = None
    has_advanced_customization_feature: bool = False
    hidden: bool = False
    draft: bool = False
    urls: Urls = Urls.model_construct()


class SiteSection(Model):
    """A section of a site, with its site spaces in order."""

    object: Literal["site-section"] = "site-section"
    id: str
    title: str = ""
    localized_title: Localized = Field(default_factory=dict)
    description: str | None = None
    localized_description: Localized = Field(default_factory=dict)
    default: bool = False
    path: str = ""
    condition: str | None = None
    section_group: str | None = None
    site_spaces: tuple[SiteSpace, ...] = ()
    urls: Urls = Urls.model_construct()
    icon: str | None = None
    draft: bool = False


class SiteSectionGroup(Model):
    """A group of sections and of further groups, in order; ``sections`` repeats its own sections."""

    object: Literal["site-section-group"] = "site-section-group"
    id: str
    title: str = ""
    localized_title: Localized = Field(default_factory=dict)
    section_group: str | None = None
    children: "tuple[StructureItem, ...]" = ()
    sections: tuple[SiteSection, ...] = ()
    icon: str | None = None
    draft: bool = False


class SiteExternalLink(Model):
    """A link to somewhere else, among the sections and groups; newer services have them."""

    object: Literal["site-external-link"] = "site-external-link"
    id: str
    title: str = ""
    localized_title: Localized = Field(default_factory=dict)
    description: str | None = None
    localized_description: Localized = Field(default_factory=dict)
    url: str = ""
    icon: str | None = None
    condition: str | None = None
    section_group: str | None = None
    draft: bool = False


class OtherStructureItem(Model):
    """Something in a structure that this version does not know."""

    object: Annotated[str, none_of("site-section", "site-section-group", "site-space")]
    id: str
    title: str = ""


StructureItem = Annotated[
    SiteSection | SiteSectionGroup | SiteSpace | SiteExternalLink | OtherStructureItem,
    Field(union_mode="left_to_right"),
]


class SiteStructure(Model):
    """The structure of a site: ``sections`` with sections and groups, or ``siteSpaces`` where it has no sections."""

    type: Literal["sections", "siteSpaces"] | str = "sections"
    structure: tuple[StructureItem, ...] = ()

    from_lists: ClassVar = False
    """Whether it was put together from lists, which do not tell how sections and groups are mixed."""


class ListedStructure(SiteStructure):
    """A structure put together from the lists of a site's groups, sections and site spaces."""

    from_lists: ClassVar = True


class ItemPointer(Body):
    """An item of a structure."""

    type: ItemType
    id: str


class SortPosition(Position):
    """A place among siblings: before or after one of them."""

    before: ItemPointer = LEFT_OUT
    after: ItemPointer = LEFT_OUT


class SortStructure(Body):
    """An item, and where it is to be among its siblings."""

    item: ItemPointer
    position: SortPosition


class MovePointer(Body):
    """An item of a structure as the older moves name it: by ``id`` or by the name of its type."""

    type: ItemType
    id: str = LEFT_OUT
    site_space: str = LEFT_OUT
    site_section: str = LEFT_OUT
    site_section_group: str = LEFT_OUT

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if len(self.model_fields_set - {"type"}) != 1:
            raise PydanticCustomError("no_item", "needs the id of one item")
        return self

    @property
    def target(self) -> str:
        """The id of the item, whichever way it was given."""
        return self.id or self.site_space or self.site_section or self.site_section_group


class MovePosition(Position):
    """A place among siblings, as the older moves name it."""

    before: MovePointer = LEFT_OUT
    after: MovePointer = LEFT_OUT


class MoveItem(Body):
    """Where an item is to be."""

    position: MovePosition


class CreateSiteSpace(Body):
    """A space to add to a site: in a section, by default in the default section."""

    space_id: str
    section_id: str = LEFT_OUT


class UpdateSiteSpace(Body):
    """Changes to a site space. A ``condition`` of ``None`` removes it."""

    path: SitePath = LEFT_OUT
    condition: Condition | None = LEFT_OUT
    space_id: str = LEFT_OUT


class CreateSection(Body):
    """A new section, with the space that becomes its first site space."""

    space_id: str
    title: Title = LEFT_OUT
    icon: str = LEFT_OUT


class UpdateSection(Body):
    """Changes to a section. ``site_section_group_id`` moves it into a group, ``None`` to the root."""

    title: Title = LEFT_OUT
    path: SitePath = LEFT_OUT
    default_site_space: str = LEFT_OUT
    condition: Condition | None = LEFT_OUT
    icon: str | None = LEFT_OUT
    description: str | None = LEFT_OUT
    site_section_group_id: str | None = LEFT_OUT


class CreateGroup(Body):
    """A new group, with its sections, in a group or at the root."""

    title: Title
    icon: str = LEFT_OUT
    sections: Ids = ()
    parent: str = LEFT_OUT


class UpdateGroup(Body):
    """Changes to a group. ``parent_section_group_id`` moves it into a group, ``None`` to the root."""

    title: Title = LEFT_OUT
    icon: str | None = LEFT_OUT
    parent_section_group_id: str | None = LEFT_OUT


class AddSection(Body):
    """A section to be put into a group."""

    section_id: str


class Structure(Resource):
    """The structure of a site as a whole."""

    @get("/orgs/{organization_id}/sites/{site_id}/structure")
    async def get_structure(self, organization_id: str, site_id: str) -> SiteStructure:
        """The structure of a site."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}/structure/sort")
    async def sort_structure(self, organization_id: str, site_id: str, body: SortStructure) -> StructureItem:
        """Put an item before or after one of its siblings."""
        ...


class SiteSpaces(Resource):
    """The spaces on a site."""

    @get("/orgs/{organization_id}/sites/{site_id}/site-spaces")
    async def list_site_spaces(
        self,
        organization_id: str,
        site_id: str,
        share_key: str | None = None,
        page: str | None = None,
        limit: Limit = None,
        default: bool | None = None,
    ) -> "ListPage[SiteSpace]":
        """The site spaces of a site: all, only the default, or all but the default."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/site-spaces", status=201)
    async def create_site_space(self, organization_id: str, site_id: str, body: CreateSiteSpace) -> SiteSpace:
        """Put a space on a site."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}")
    async def update_site_space(
        self, organization_id: str, site_id: str, site_space_id: str, body: UpdateSiteSpace
    ) -> SiteSpace:
        """Change a site space's path, condition or space."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}")
    async def delete_site_space(self, organization_id: str, site_id: str, site_space_id: str) -> None:
        """Take a space off a site."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/site-spaces/{site_space_id}/move", deprecated=True)
    async def move_site_space(
        self, organization_id: str, site_id: str, site_space_id: str, body: MoveItem
    ) -> SiteSpace:
        """Put a site space before or after another; sorting the structure replaces this."""
        ...


class Sections(Resource):
    """The sections of a site."""

    @get("/orgs/{organization_id}/sites/{site_id}/sections")
    async def list_sections(
        self,
        organization_id: str,
        site_id: str,
        share_key: str | None = None,
        page: str | None = None,
        limit: Limit = None,
    ) -> "ListPage[SiteSection]":
        """The sections of a site, those in groups too."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/sections", status=201)
    async def create_section(self, organization_id: str, site_id: str, body: CreateSection) -> SiteSection:
        """Add a section; the first section gathers the site spaces that were at the root."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}/sections/{site_section_id}")
    async def update_section(
        self, organization_id: str, site_id: str, site_section_id: str, body: UpdateSection
    ) -> SiteSection:
        """Change a section, or the group it is in."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}/sections/{site_section_id}")
    async def delete_section(self, organization_id: str, site_id: str, site_section_id: str) -> None:
        """Remove a section and its site spaces; the spaces themselves stay."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/sections/{site_section_id}/move")
    async def move_section(
        self, organization_id: str, site_id: str, site_section_id: str, body: MoveItem
    ) -> SiteSection:
        """Put a section before or after a sibling."""
        ...


class SectionGroups(Resource):
    """The groups of sections of a site."""

    @get("/orgs/{organization_id}/sites/{site_id}/section-groups")
    async def list_groups(
        self, organization_id: str, site_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[SiteSectionGroup]":
        """The groups of a site, those in groups too."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/section-groups", status=201)
    async def create_group(self, organization_id: str, site_id: str, body: CreateGroup) -> SiteSectionGroup:
        """Add a group with its sections."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}/section-groups/{site_section_group_id}")
    async def update_group(
        self, organization_id: str, site_id: str, site_section_group_id: str, body: UpdateGroup
    ) -> SiteSectionGroup:
        """Change a group, or the group it is in."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}/section-groups/{site_section_group_id}")
    async def delete_group(self, organization_id: str, site_id: str, site_section_group_id: str) -> None:
        """Remove a group; its sections stay."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/section-groups/{site_section_group_id}/sections", status=201)
    async def add_section(
        self, organization_id: str, site_id: str, site_section_group_id: str, body: AddSection
    ) -> SiteSectionGroup:
        """Put a section into a group; it comes last."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}/section-groups/{site_section_group_id}/sections/{site_section_id}")
    async def remove_section(
        self, organization_id: str, site_id: str, site_section_group_id: str, site_section_id: str
    ) -> None:
        """Take a section out of a group, to the root."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/section-groups/{site_section_group_id}/move")
    async def move_group(
        self, organization_id: str, site_id: str, site_section_group_id: str, body: MoveItem
    ) -> SiteSectionGroup:
        """Put a group before or after a sibling."""
        ...
