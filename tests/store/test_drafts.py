from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recto.store.drafts import DraftKind, DraftPlace, Drafts, DraftState

PLACE = DraftPlace(organization="o1", space="s1", change_request="c1", page="p1")


needs_locks = pytest.mark.skipif(os.name == "nt", reason="files are not locked there")


class Clock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 2, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    return Drafts(tmp_path / "drafts", Clock())


def again(drafts: Drafts) -> Drafts:
    """The same folder as the next start of the program finds it."""
    return Drafts(drafts._folder, Clock())


def test_a_draft_is_found_again_as_it_was(drafts: Drafts) -> None:
    draft = drafts.start(
        DraftKind.PAGE_EDIT,
        PLACE,
        "# Größe\n",
        name="getting started/../x",
        base_revision="r1",
        base_text="# Size\n",
        facts={"title": "Getting started"},
    )
    assert draft.path.name == "getting-started-..-x.md"
    assert draft.path.read_text() == "# Größe\n"
    assert again(drafts).find() == [draft]
    assert again(drafts).get(draft.id) == draft
    assert drafts.is_edited(draft)
    draft.path.write_text("# Size\n")
    assert not drafts.is_edited(draft)


def test_drafts_are_found_by_place_and_kind(drafts: Drafts) -> None:
    page = drafts.start(DraftKind.PAGE_EDIT, PLACE)
    comment = drafts.start(DraftKind.COMMENT, DraftPlace(organization="o1", space="s1", page="p1", block="b1"))
    elsewhere = drafts.start(DraftKind.COMMENT, DraftPlace(organization="o1", space="s2"))
    assert drafts.find() == [page, comment, elsewhere]
    assert drafts.find(DraftPlace(space="s1")) == [page, comment]
    assert drafts.find(DraftPlace(space="s1", page="p1", block="b1")) == [comment]
    assert drafts.find(DraftPlace(organization="o1"), DraftKind.COMMENT) == [comment, elsewhere]
    assert drafts.find(DraftPlace(space="s9")) == []


def test_what_an_editor_writes_is_the_draft(drafts: Drafts) -> None:
    draft = drafts.start(DraftKind.PAGE_EDIT, PLACE, "before")
    replaced = draft.path.with_name("new")
    replaced.write_bytes(b"after \xff")
    replaced.rename(draft.path)
    draft.path.with_name(".text.md.swp").write_bytes(b"\x00")
    assert drafts.text(draft) == "after \ufffd"
    assert len(drafts.find()) == 1


def test_an_old_handle_does_not_undo_what_was_noted_since(drafts: Drafts) -> None:
    draft = drafts.start(DraftKind.COMMENT, PLACE, "a")
    drafts.note(draft, verdict="approved")
    drafts.mark_sending(draft)
    drafts.save(draft, "b")
    drafts.note(draft, mood="calm")
    current = drafts.get(draft.id)
    assert current is not None
    assert current.state is DraftState.SENDING
    assert current.facts == {"verdict": "approved", "mood": "calm"}
    assert current.updated > draft.updated


def test_a_rebased_draft_goes_on_from_another_text(drafts: Drafts) -> None:
    draft = drafts.start(DraftKind.PAGE_EDIT, PLACE, "mine", base_revision="r1", base_text="theirs")
    rebased = drafts.rebase(draft, "r2", "mine")
    assert (rebased.base_revision, drafts.is_edited(rebased)) == ("r2", False)


def test_nothing_strange_in_the_folder_breaks_the_listing(drafts: Drafts, tmp_path: Path) -> None:
    draft = drafts.start(DraftKind.COMMENT, PLACE, "mine")
    folder = tmp_path / "drafts"
    (folder / "a file").write_text("?")
    (folder / "empty").mkdir()
    facts = json.loads((draft.path.parent / "draft.json").read_text())
    strange = {
        "half": b'{"kind": "com',
        "list": b"[]",
        "binary": b"\xff\x00",
        "newer": json.dumps(facts | {"kind": "hologram"}).encode(),
        "escaping": json.dumps(facts | {"text": "../../secret"}).encode(),
        "textless": json.dumps(facts | {"text": "gone.md"}).encode(),
        "placeless": json.dumps(facts | {"place": 3}).encode(),
    }
    for name, data in strange.items():
        (folder / name).mkdir()
        (folder / name / "draft.json").write_bytes(data)
    assert drafts.find() == [draft]
    assert drafts.get("../drafts") is None


def test_a_newer_version_may_add_facts(drafts: Drafts) -> None:
    draft = drafts.start(DraftKind.COMMENT, PLACE, "mine")
    sidecar = draft.path.parent / "draft.json"
    facts = json.loads(sidecar.read_text())
    facts["place"]["planet"] = "mars"
    sidecar.write_text(json.dumps(facts | {"mood": "calm"}))
    assert drafts.find() == [draft]


def test_a_draft_that_has_arrived_goes_unless_more_was_typed(drafts: Drafts) -> None:
    draft = drafts.mark_sending(drafts.start(DraftKind.COMMENT, PLACE, "sent"))
    drafts.save(draft, "sent and more")
    kept = drafts.confirm(draft)
    assert kept is not None
    assert kept.state is DraftState.TYPED
    drafts.mark_sending(kept)
    assert drafts.confirm(kept) is None
    assert drafts.find() == []
    assert drafts.confirm(kept) is None
    drafts.discard(kept)
    assert list((drafts._folder).iterdir()) == []


def test_what_is_typed_into_a_draft_that_went_is_there_again(drafts: Drafts) -> None:
    draft = drafts.start(DraftKind.COMMENT, PLACE, "sent")
    drafts.discard(draft)
    drafts.save(draft, "late words")
    [found] = again(drafts).find()
    assert (found.id, drafts.text(found)) == (draft.id, "late words")


@needs_locks
def test_a_draft_that_another_program_holds_is_not_found_until_it_is_released(drafts: Drafts) -> None:
    other = again(drafts)
    draft, free = drafts.start(DraftKind.COMMENT, PLACE, "mine"), drafts.start(DraftKind.COMMENT, PLACE, "free")
    drafts.hold(draft)
    drafts.hold(draft)
    assert (other.find(), other.find(held_elsewhere=True)) == ([free], [draft])
    assert (drafts.find(), drafts.find(held_elsewhere=True)) == ([draft, free], [])
    with pytest.raises(BlockingIOError):
        other.hold(draft)
    drafts.mark_sending(draft)
    assert other.recover() == []
    drafts.release(draft)
    drafts.discard(draft)
    drafts.save(draft, "late words")
    assert other.find() == [free]
    drafts.release(draft)
    assert [each.id for each in other.find()] == [draft.id, free.id]
    other.hold(draft)
    other.close()
    drafts.hold(draft)


HOLDING = """
import sys
from pathlib import Path
from recto.store.drafts import DraftKind, DraftPlace, Drafts

drafts = Drafts(Path(sys.argv[1]))
drafts.hold(drafts.start(DraftKind.COMMENT, DraftPlace(), "words"))
print("held", flush=True)
sys.stdin.read()
"""


@needs_locks
def test_a_killed_program_holds_no_draft(drafts: Drafts, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(drafts.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"held\n"
        assert drafts.find() == []
        program.kill()
        program.wait()
    assert [drafts.text(draft) for draft in drafts.find()] == ["words"]


async def test_what_was_on_its_way_is_unsure_at_the_next_start(drafts: Drafts) -> None:
    typed = drafts.start(DraftKind.COMMENT, PLACE, "typed")
    sent = drafts.mark_sending(drafts.start(DraftKind.COMMENT, PLACE, "sent"))
    lost = drafts.unsure(drafts.start(DraftKind.REPLY, PLACE, "lost"))
    unsure = again(drafts).recover()
    assert [(draft.id, draft.state) for draft in unsure] == [
        (sent.id, DraftState.UNSURE),
        (lost.id, DraftState.UNSURE),
    ]
    assert typed in drafts.find()


def test_leftovers_are_tidied_away_and_drafts_are_not(drafts: Drafts) -> None:
    draft = drafts.start(DraftKind.COMMENT, PLACE, "mine")
    folder = draft.path.parent.parent
    moment = datetime(2026, 3, 1, tzinfo=UTC).timestamp()
    for name, age in ((".trash-x", 0.0), (".recto-old", 1.0), (".recto-new", -1.0), ("foreign", 1.0)):
        (folder / name).mkdir()
        (folder / name / "text.md").write_text("?")
        os.utime(folder / name, (moment - age * 60, moment - age * 60))
    again(drafts).recover()
    assert {entry.name for entry in folder.iterdir()} == {draft.id, ".recto-new", "foreign"}


@pytest.mark.parametrize("known", [(), ("c1", "c2"), None])
def test_what_was_there_before_it_was_sent_is_kept_with_a_draft(drafts: Drafts, known: tuple[str, ...] | None) -> None:
    draft = drafts.start(DraftKind.COMMENT, PLACE, "there")
    drafts.mark_sending(draft, known)
    found = again(drafts).get(draft.id)
    assert found is not None
    assert found.known == known


KILLED = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from recto.store.drafts import DraftKind, DraftPlace, Drafts

drafts = Drafts(Path(sys.argv[1]), lambda: datetime(2026, 3, 2, tzinfo=UTC))
tell = lambda word: print(word, flush=True)
draft = drafts.start(DraftKind.COMMENT, DraftPlace(space="s1"), "first words")
tell("started")
drafts.save(draft, "second words")
tell("saved")
drafts.mark_sending(draft)
tell("sending")
drafts.confirm(draft)
tell("confirmed")
"""

POINTS = [
    *(f"atomic.{point}:{passing}" for point in
      ("before-write", "before-sync", "before-rename", "after-rename", "after-write") for passing in range(1, 6)),
    "drafts.before-start", "drafts.after-start",
    "drafts.before-discard", "drafts.discarding", "drafts.after-discard",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_program_loses_nothing_it_reported_as_saved(tmp_path: Path, point: str) -> None:
    folder = tmp_path / "drafts"
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder)],
        env={**os.environ, "RECTO_KILL_AT": point},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    said = ended.stdout.split()
    drafts = Drafts(folder, lambda: datetime(2026, 3, 2, tzinfo=UTC))
    found = [(draft.state, drafts.text(draft)) for draft in drafts.find()]
    possible = {
        (): [[], [(DraftState.TYPED, "first words")]],
        ("started",): [[(DraftState.TYPED, "first words")], [(DraftState.TYPED, "second words")]],
        ("started", "saved"): [[(DraftState.TYPED, "second words")], [(DraftState.SENDING, "second words")]],
        ("started", "saved", "sending"): [[(DraftState.SENDING, "second words")], []],
    }
    assert found in possible[tuple(said)]
    fresh = drafts.start(DraftKind.COMMENT, DraftPlace(), "goes on")
    assert fresh in drafts.find()


@pytest.mark.parametrize(
    "facts",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b"\xff",
        b'{"text": 1}',
        b'{"kind": "comment", "text": "text.md", "place": [], "created": "", "updated": ""}',
        b'{"kind": "comment", "text": "text.md", "place": {}, "created": "2026-03-02", "updated": "2026-03-02"}',
        b'{"kind": "comment", "text": "../../text.md", "place": {}, "created": "2026-03-02T09:00:00+00:00"}',
    ],
)
def test_rubbish_among_the_drafts_is_passed_over_and_left_alone(tmp_path: Path, facts: bytes) -> None:
    drafts = Drafts(tmp_path, lambda: datetime(2026, 3, 2, tzinfo=UTC))
    good = drafts.start(DraftKind.COMMENT, DraftPlace(space="s"), "typed")
    (tmp_path / "rubbish").mkdir()
    (tmp_path / "rubbish" / "draft.json").write_bytes(facts)
    (tmp_path / "rubbish" / "text.md").write_text("somebody's")
    (tmp_path / "a file").write_text("")
    assert drafts.find() == [good]
    assert drafts.recover() == []
    assert (tmp_path / "rubbish" / "draft.json").read_bytes() == facts
