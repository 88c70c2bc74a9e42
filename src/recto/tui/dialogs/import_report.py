"""The result of an import on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recto.document.text import count
from recto.store.locations import SiteLocation, SpaceLocation
from recto.tui.navigation.messages import Beginning

if TYPE_CHECKING:
    from recto.contract.import_report import Finding, ImportedSpace, ImportReport
    from recto.store.locations import Location

_MOST_NAMED, _LONGEST_NAME = 3, 40
"""So many spaces or lines of a finding are named, and at most so long; the rest is counted."""


def beginning_of(report: ImportReport) -> Beginning:
    """Return where to begin after an import, and a report if there are findings."""
    says_more = (
        len(report.spaces) > 1
        or report.findings
        or any(space.findings or space.change_request for space in report.spaces)
    )
    return Beginning(_location(report), "Import finished", report_lines(report) if says_more else ())


def report_lines(report: ImportReport) -> tuple[str, ...]:
    """Return the report: each space with its counts, then what was left out or not found."""
    lines = [f"“{space.title}”: {_counts(space)}" for space in report.spaces]
    if len(report.spaces) > 1:
        pages, files = (sum(getattr(space, name) for space in report.spaces) for name in ("pages", "files"))
        total = f"{count(len(report.spaces), 'space')}, {_amount(pages, files)}"
        lines.append(f"Total: {total}{', one site' if report.site else ''}.")
    found: dict[Finding, list[str]] = {}
    for space in report.spaces:
        for finding in space.findings:
            found.setdefault(finding, []).append(space.title)
    for finding, titles in found.items():
        lines += finding_lines([finding], f"{_names(titles)}: " if len(report.spaces) > 1 else "")
    return (*lines, *finding_lines(report.findings))


def _names(titles: Sequence[str]) -> str:
    """Name the spaces that a finding is about; a finding in many spaces is named once."""
    named = ", ".join(f"“{title}”" for title in titles[:_MOST_NAMED])
    more = len(titles) - _MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named


def finding_lines(findings: Sequence[Finding], heading: str = "") -> Iterator[str]:
    """Yield findings, each after an empty line and with what it is about below it."""
    for finding in findings:
        yield from ("", f"{heading}{finding.message}", *(f"  {line}" for line in finding.lines))


def in_brief(finding: Finding) -> str:
    """Return a finding with the first of its lines: so much leaves room on a small screen."""
    lines = [line.strip() for line in finding.lines[:_MOST_NAMED]]
    named = ", ".join(line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 1]}…" for line in lines)
    more = f" and {len(finding.lines) - _MOST_NAMED:,} more" if len(finding.lines) > _MOST_NAMED else ""
    return f"{finding.message} {named}{more}"


def _location(report: ImportReport) -> Location:
    """Return the site, or the first space."""
    if report.site is not None:
        return SiteLocation(report.organization, report.site)
    return SpaceLocation(report.spaces[0].space)


def _counts(space: ImportedSpace) -> str:
    amount = _amount(space.pages, space.files)
    if space.created:
        return f"a new space with {amount}"
    if space.change_request is not None:
        return f"{amount}; the folder's changes conflict with those in the space and wait in a change request"
    return f"{amount}, updated" if space.changed else f"{amount}, unchanged"


def _amount(pages: int, files: int) -> str:
    return f"{count(pages, 'page')} and {count(files, 'file')}" if files else count(pages, "page")
