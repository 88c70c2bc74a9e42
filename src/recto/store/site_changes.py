"""Changes of a site's items other than moves: names, paths, conditions, defaults, new and removed items."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recto.contract.sites import Sites, UpdateSite
from recto.contract.structure import (
    CreateGroup,
    CreateSection,
    CreateSiteSpace,
    SectionGroups,
    Sections,
    SiteSection,
    SiteSectionGroup,
    SiteSpace,
    SiteSpaces,
    SiteStructure,
    Structure,
    UpdateGroup,
    UpdateSection,
    UpdateSiteSpace,
)
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind, item_of
from recto.store.mutation import Effect, Mutation, changes, new_in_list, unless_changed
from recto.store.query_keys import about

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.rearranging import SiteAddress


@frozen
class SiteChanges:
    """Changes of a site."""

    site: SiteAddress

    def rename(self, item: Item, title: str) -> Mutation[Any]:
        """Rename a section or a group."""
        word = item.kind.word

        async def work(call: Call) -> object:
            address = (self.site.organization, self.site.id, item.id)
            if item.kind is Kind.GROUP:
                return await call(SectionGroups.update_group, *address, UpdateGroup(title=title))
            return await call(Sections.update_section, *address, UpdateSection(title=title))

        return self._change(
            work,
            doing=f"Renaming the {word}",
            done=f"Renamed the {word} to “{title}”",
            of=item,
            fields=("title",),
            shows={"title": title},
            inverse=lambda: self.rename(replace(item, title=title), item.title) if item.title else None,
        )

    def set_path(self, item: Item, path: str) -> Mutation[Any]:
        """Change the path of a section or a site space, and with it the addresses."""

        async def work(call: Call) -> object:
            address = (self.site.organization, self.site.id, item.id)
            if item.kind is Kind.SECTION:
                return await call(Sections.update_section, *address, UpdateSection(path=path))
            return await call(SiteSpaces.update_site_space, *address, UpdateSiteSpace(path=path))

        return self._change(
            work,
            doing=f"Changing the path of “{item.name}”",
            done=f"“{item.name}” is at “{path}” now",
            of=item,
            fields=("path",),
            shows={"path": path},
            inverse=lambda: self.set_path(replace(item, path=path), item.path) if item.path else None,
        )

    def set_condition(self, item: Item, condition: str | None) -> Mutation[Any]:
        """Set for whom a section or a site space is shown; ``None`` shows it to everyone."""

        async def work(call: Call) -> object:
            address = (self.site.organization, self.site.id, item.id)
            if item.kind is Kind.SECTION:
                return await call(Sections.update_section, *address, UpdateSection(condition=condition))
            return await call(SiteSpaces.update_site_space, *address, UpdateSiteSpace(condition=condition))

        done = f"“{item.name}” is shown on a condition now" if condition else f"“{item.name}” is shown to everyone now"
        return self._change(
            work,
            doing=f"Changing the condition of “{item.name}”",
            done=done,
            of=item,
            fields=("condition",),
            shows={"condition": condition},
            inverse=lambda: self.set_condition(replace(item, condition=condition), item.condition),
        )

    def update(self, item: Item, body: UpdateSection | UpdateGroup | UpdateSiteSpace) -> Mutation[Any]:
        """Change what the body sets of a section, a group or a site space; undoing sets what was there."""
        names = body.model_fields_set
        fields = ["space" if name == "space_id" else name for name in names]
        before: dict[str, Any] = {name: item.space if name == "space_id" else getattr(item, name) for name in names}
        after = replace(item, **{"space" if name == "space_id" else name: getattr(body, name) for name in names})

        async def work(call: Call) -> object:
            address = (self.site.organization, self.site.id, item.id)
            if isinstance(body, UpdateGroup):
                return await call(SectionGroups.update_group, *address, body)
            if isinstance(body, UpdateSection):
                return await call(Sections.update_section, *address, body)
            return await call(SiteSpaces.update_site_space, *address, body)

        def inverse() -> Mutation[Any] | None:
            cannot_be_none = {"title", "path", "space_id"}
            if any(not value for name, value in before.items() if name in cannot_be_none):
                return None
            return self.update(after, type(body)(**before))

        return self._change(
            work,
            doing=f"Changing “{item.name}”",
            done=f"Changed the {item.kind.word} “{after.name}”",
            of=item,
            fields=fields,
            inverse=inverse,
        )

    def set_space(self, item: Item, space: str, title: str) -> Mutation[Any]:
        """Point a site space to another space, whose title is ``title``; its path and condition stay."""

        async def work(call: Call) -> object:
            address = (self.site.organization, self.site.id, item.id)
            return await call(SiteSpaces.update_site_space, *address, UpdateSiteSpace(space_id=space))

        before = item.space
        return self._change(
            work,
            doing=f"Changing the space of “{item.name}”",
            done=f"“{item.name}” shows the space “{title}” now",
            of=item,
            fields=("space",),
            inverse=lambda: self.set_space(replace(item, space=space), before, item.name) if before else None,
        )

    def make_default(self, arrangement: Arrangement, item: Item) -> Mutation[Any]:
        """Make a site space the default of its section, or a section or site space the default of the site."""
        return self._make_default(
            arrangement, item, next((each for each in arrangement.default_candidates(item.id) if each.default), None)
        )

    def _make_default(self, arrangement: Arrangement, item: Item, before: Item | None) -> Mutation[Any]:
        section = arrangement.parents[item.id] if item.kind is Kind.SITE_SPACE else None

        async def work(call: Call) -> object:
            where = (self.site.organization, self.site.id)
            if section is not None:
                return await call(Sections.update_section, *where, section, UpdateSection(default_site_space=item.id))
            if item.kind is Kind.SECTION:
                return await call(Sites.update_site, *where, UpdateSite(default_site_section=item.id))
            return await call(Sites.update_site, *where, UpdateSite(default_site_space=item.id))

        opens = f"“{arrangement.items[section].name}” opens" if section is not None else "The site opens"
        return self._change(
            work,
            doing=f"Making “{item.name}” the default",
            done=f"{opens} with “{item.name}” now",
            of=item,
            inverse=lambda: self._make_default(arrangement, before, item) if before is not None else None,
            fields=("default",),
            left=replace(item, default=True),
        )

    def add_section(self, arrangement: Arrangement, body: CreateSection) -> Mutation[SiteSection]:
        """Add a section with its first space, last at the top level."""
        title = body.title

        async def work(call: Call) -> SiteSection:
            return await call(Sections.create_section, self.site.organization, self.site.id, body)

        def inverse(made: SiteSection) -> Mutation[None] | None:
            # The first section gathers the site spaces that were there: removing it would take them off the site.
            return self.delete(_item(made, Kind.SECTION)) if arrangement.sectioned else None

        return Mutation(
            doing=f"Adding the section “{title}”",
            done=f"Added the section “{title}”",
            call=work,
            lookup=new_in_list(
                lambda one: one.title == title, Sections.list_sections, self.site.organization, self.site.id
            ),
            stale=self._stale,
            inverse=inverse,
            lane=self.site.lane,
        )

    def add_group(self, body: CreateGroup) -> Mutation[SiteSectionGroup]:
        """Add a group, last in another or at the top level."""
        title, parent = body.title, body.parent

        async def work(call: Call) -> SiteSectionGroup:
            return await call(SectionGroups.create_group, self.site.organization, self.site.id, body)

        return Mutation(
            doing=f"Adding the group “{title}”",
            done=f"Added the group “{title}”",
            call=work,
            lookup=new_in_list(
                lambda one: one.title == title and one.section_group == parent,
                SectionGroups.list_groups,
                self.site.organization,
                self.site.id,
            ),
            stale=self._stale,
            inverse=lambda made: self.delete(_item(made, Kind.GROUP)),
            lane=self.site.lane,
        )

    def add_site_space(self, space: str, title: str, section: str | None) -> Mutation[SiteSpace]:
        """Put a space on the site, last in a section or at the top level."""

        async def work(call: Call) -> SiteSpace:
            body = CreateSiteSpace(space_id=space, **({"section_id": section} if section else {}))
            return await call(SiteSpaces.create_site_space, self.site.organization, self.site.id, body)

        return Mutation(
            doing=f"Putting “{title}” on the site",
            done=f"Put “{title}” on the site",
            call=work,
            lookup=new_in_list(
                lambda one: one.space is not None and one.space.id == space and one.section == section,
                SiteSpaces.list_site_spaces,
                self.site.organization,
                self.site.id,
            ),
            stale=self._stale,
            inverse=lambda made: self.delete(_item(made, Kind.SITE_SPACE)),
            lane=self.site.lane,
        )

    def delete(self, item: Item) -> Mutation[None]:
        """Remove an item: a section goes with its site spaces, a group leaves what it holds."""

        async def work(call: Call) -> None:
            address = (self.site.organization, self.site.id, item.id)
            if item.kind is Kind.GROUP:
                await call(SectionGroups.delete_group, *address)
            elif item.kind is Kind.SECTION:
                await call(Sections.delete_section, *address)
            else:
                await call(SiteSpaces.delete_site_space, *address)

        return Mutation(
            doing=f"Removing the {item.kind.word} “{item.name}”",
            done=f"Removed the {item.kind.word} “{item.name}”",
            call=work,
            stale=self._stale,
            lane=self.site.lane,
        )

    @property
    def _stale(self) -> tuple[Callable[[Any], bool], ...]:
        return (about(site_id=self.site.id),)

    def _change(
        self,
        call: Callable[[Call], Any],
        *,
        doing: str,
        done: str,
        inverse: Callable[[], Mutation[Any] | None],
        of: Item,
        fields: Collection[str] = (),
        left: Item | None = None,
        shows: dict[str, Any] | None = None,
    ) -> Mutation[Any]:
        """Return a change of an item's fields; undoing it is refused where another has changed them since.

        ``left`` is the item as the change leaves it, where the response is not the item.
        """
        effects: tuple[Effect, ...] = ()
        if shows is not None:
            effects = (
                changes(Structure.get_structure, lambda known: change_item(known, of.id, shows), site_id=self.site.id),
            )

        async def read(call: Call) -> Item | None:
            return (await self.site.read(call)).items.get(of.id)

        def back(response: Any) -> Mutation[Any] | None:
            return unless_changed(lambda _: inverse(), fields, read)(left or item_of(response)) if fields else inverse()

        return Mutation(
            doing=doing,
            done=done,
            call=call,
            effects=effects,
            stale=self._stale,
            inverse=back,
            once=True,
            lane=self.site.lane,
        )


def change_item(structure: SiteStructure, id: str, fields: dict[str, Any]) -> SiteStructure:
    """Return the structure with other values in the item of this id, wherever it is."""
    return structure.model_copy(update={"structure": _change_items(structure.structure, id, fields)})


def _change_items(items: tuple[Any, ...], id: str, fields: dict[str, Any]) -> tuple[Any, ...]:
    found = []
    for item in items:
        update = dict(fields) if item.id == id else {}
        for name in ("children", "sections", "site_spaces"):
            inside = getattr(item, name, ())
            if inside:
                update[name] = _change_items(inside, id, fields)
        found.append(item.model_copy(update=update) if update else item)
    return tuple(found)


def _item(made: Any, kind: Kind) -> Item:
    return Item(made.id, kind, made.title)
