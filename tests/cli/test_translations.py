"""``recto translate``."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sys
from pathlib import Path

import pytest

from recto import paths
from recto.cli import connection, embedded_platform, translations
from recto.cli.main import run
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Owner, Platform
from support.content import change_space, make_space
from support.shell import serving

Capture = pytest.CaptureFixture[str]
ADA = Owner("Ada Lovelace", "ada@example.org")
UPPER = """
import json, sys
request = json.load(sys.stdin)
if request["texts"][0] == "Odd":
    request["texts"][1:] = ["untagged"]
json.dump({"texts": [text.upper() for text in request["texts"]]}, sys.stdout)
"""
HANGING = "import signal; signal.pause()"
HOME = ImportedPage("home", "Home", "home", text="Read **this**.\n")
ODD = ImportedPage("odd", "Odd", "odd", text="Some **bold** words.\n")


@pytest.fixture(autouse=True)
def space(monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a space in a workspace without the guide."""
    monkeypatch.setattr(embedded_platform, "_fill", lambda platform: None)
    monkeypatch.setattr(embedded_platform, "owner", lambda: ADA)
    paths.workspace_file().parent.mkdir(parents=True, exist_ok=True)
    platform = Platform.open(paths.workspace_file(), owner=ADA)
    id = make_space(platform, [HOME])
    platform.close()
    return id


def translate(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    code = run(["translate", *arguments])
    for handler in logging.getLogger("recto").handlers:  # the next run has a log of its own
        handler.close()
    out, err = capsys.readouterr()
    return code, out, err


def use(program: str, folder: Path) -> None:
    """Translate with a program from now on."""
    file = folder / "engine.py"
    file.write_text(program)
    paths.settings_file().parent.mkdir(parents=True, exist_ok=True)
    paths.settings_file().write_text(f"translation_command = {json.dumps([sys.executable, str(file)])}\n")


def test_a_translation_from_its_first_run_to_its_end(space: str, tmp_path: Path, capsys: Capture) -> None:
    assert "“Ada's documentation” has no translations." in translate(capsys, "list")[2]
    added = translate(capsys, "add", "guide", "fr", "--from", "en")
    assert added == (0, "Added the translation of “Guide” into fr.\n", "")
    shown = translate(capsys, "show", "Guide", "FR")[1]
    assert shown == f"“Guide” into fr: pending\nSource: {space} (en)\nPages: 1 missing\n  missing  home\n"
    code, _, err = translate(capsys, "run", "Guide", "fr")
    assert (code, "translation_command" in err) == (1, True)

    use(UPPER, tmp_path)
    code, out, _ = translate(capsys, "run", "Guide", "fr")
    assert (code, out.startswith("Translated “Guide” into fr: 1 page, 3 words, ")) == (0, True)
    result = out.rpartition(" The translation is in “Guide (fr)” (")[2].rstrip(").\n")
    assert translate(capsys, "run", space, "fr")[1].startswith("Translated “Guide” into fr: nothing has changed.")
    change_own(space, HOME, ODD)
    code, out, _ = translate(capsys, "run", "Guide", "fr")
    assert (code, "Odd: Text 1 (“Some bold words.”): tag 1 is missing." in out) == (0, True)
    shown = json.loads(translate(capsys, "show", "Guide", "fr", "--json")[1])
    assert (shown["result"]["space"], shown["stats"]["runs"]) == (result, 3)
    assert (shown["pages"][0]["path"], shown["pages"][0]["state"]) == ("home", "current")
    assert translate(capsys, "list")[1].splitlines()[1].split() == ["Guide", "en", "fr", "completed", "1", "3", "3"]

    assert translate(capsys, "delete", "Guide", "fr")[1] == (
        f"Deleted the translation of “Guide” into fr. Its space stays: “Guide (fr)” ({result}).\n"
    )
    assert "There is no translation of “Guide” into fr in" in translate(capsys, "show", "Guide", "fr")[2]


def test_a_run_that_leaves_pages_untranslated_names_them_and_ends_with_a_failure(
    space: str, tmp_path: Path, capsys: Capture
) -> None:
    assert translate(capsys, "add", "Guide", "fr", "--from", "en")[0] == 0
    change_own(space, HOME, ODD)
    use(f"{UPPER}if request['texts'][0] == 'Odd': sys.exit('No credit.')\n", tmp_path)
    code, out, _ = translate(capsys, "run", "Guide", "fr")
    assert code == 1
    assert "1 page was not translated. Run the translation again for it:" in out
    assert "failed: No credit." in out
    assert "Translated “Guide” into fr: 1 page, 3 words, " in out
    assert "Pages: 1 current, 1 missing\n" in translate(capsys, "show", "Guide", "fr")[1]


def change_own(space: str, *pages: ImportedPage) -> None:
    platform = Platform.open(paths.workspace_file(), owner=ADA)
    change_space(platform, space, pages)
    platform.close()


def test_instructions_are_written_from_a_file_or_standard_input_and_printed(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    style = tmp_path / "style.md"
    style.write_text("Say *du*.\n")
    assert translate(capsys, "add", "Guide", "de", "--from", "en", "--instructions", str(style))[0] == 0
    assert translate(capsys, "instructions", "Guide", "de") == (0, "Say *du*.\n", "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Say *Sie* – not *du*.\n".encode())))
    assert translate(capsys, "instructions", "Guide", "de", "-")[1].startswith("Saved the instructions;")
    assert translate(capsys, "instructions", "Guide", "de")[1] == "Say *Sie* – not *du*.\n"


def test_failures_are_reported(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "latin").write_bytes(b"\xe9")
    assert translate(capsys, "add", "Guide", "de", "--from", "en")[0] == 0
    for arguments, code, why in (
        (("add", "Guide", "de", "--from", "en"), 1, "has a translation into de already"),
        (("add", "Guide", "german", "--from", "en"), 2, "is no code of a language"),
        (("add", "Guide", "fr"), 2, "has no language of its own. Name the one it is in with --from."),
        (
            ("add", "Nothing", "fr"),
            1,
            "There is no space “Nothing” in “Ada's documentation”. There are “Guide”. --organ",
        ),
        (("add", "Guide", "fr", "--from", "en", "--instructions", str(tmp_path / "none")), 2, "cannot be read"),
        (("instructions", "Guide", "de", str(tmp_path / "latin")), 2, "is not a text in UTF-8"),
        (("run", "Guide", "fr"), 1, "There is no translation of “Guide” into fr in “Ada's documentation”."),
        (("show", "https://a.example/b", "fr"), 2, "is not"),
        (("delete", "Guide", "de", "--read-only"), 2, "Recto is read-only now."),
    ):
        ended, out, err = translate(capsys, *arguments)
        assert (ended, out, why in err) == (code, "", True), err


WAITING = "import os; open(os.path.join(os.path.dirname(__file__), 'go')).read()\n"
"""Waits until a file is written."""


@pytest.mark.parametrize(
    ("program", "is_cancelled", "ends"),
    [
        (f"{WAITING}{UPPER}", False, (0, "")),
        (f"{WAITING}{UPPER}", True, (130, "recto: Cancelled the translation; nothing of it was kept.\n")),
        (f"{WAITING}raise SystemExit('No credit.')", False, (1, "The translation engine “python")),
    ],
)
def test_a_call_waits_for_the_job_that_it_begins(
    program: str,
    is_cancelled: bool,
    ends: tuple[int, str],
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use(program, tmp_path)
    os.mkfifo(tmp_path / "go")
    assert translate(capsys, "add", "Guide", "de", "--from", "en")[0] == 0
    translation = json.loads(translate(capsys, "show", "Guide", "de", "--json")[1])
    told: list[str] = []

    def act(message: str) -> None:
        told.append(message)
        if is_cancelled:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            (tmp_path / "go").write_text("")

    monkeypatch.setattr(connection, "tell", act)
    code = run(["api", "POST", f"{translation['urls']['location']}/run"])
    out, err = capsys.readouterr()
    assert (code, out, told) == (ends[0], "", ["Waiting for the translation to end; Ctrl+C cancels it."])
    assert ends[1] in err
    state = json.loads(translate(capsys, "show", "Guide", "de", "--json")[1])["status"]
    assert state == ("pending" if code else "completed")


def test_ctrl_c_cancels_a_run_and_keeps_nothing(tmp_path: Path, capsys: Capture) -> None:
    use(f"import os, signal; os.kill(os.getppid(), signal.SIGINT); {HANGING}", tmp_path)
    assert translate(capsys, "add", "Guide", "de", "--from", "en")[0] == 0
    assert translate(capsys, "run", "Guide", "de") == (
        130,
        "",
        "recto: Cancelled the translation; nothing of it was kept.\n",
    )
    assert "“Guide” into de: pending\n" in translate(capsys, "show", "Guide", "de")[1]


@pytest.mark.slow
def test_a_served_workspace_is_asked_to_run_and_waited_for(
    space: str, own_world: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translations, "_BETWEEN_REQUESTS_S", 0.01)
    use(UPPER, tmp_path)
    change_own(space, HOME, ODD)
    with serving(own_world, token="t0k3n") as server:
        monkeypatch.setenv("RECTO_TOKEN", server.token)
        there = ("--organization", "Ada's documentation", "--base-url", server.address.removesuffix("/v1"))

        def translated(*arguments: str) -> tuple[int, str, str]:
            return translate(capsys, *arguments, *there)

        added = translated("add", "Guide", "de", "--from", "en")
        assert added == (0, "Added the translation of “Guide” into de.\n", "")
        code, out, _ = translated("run", "Guide", "de", "--wait")
        assert (code, out.splitlines()[:2]) == (0, ["Pages: 1 current, 1 missing", "  missing  odd"])
        assert out.splitlines()[2].startswith("Translated “Guide” into de: 1 page, 3 words, ")

        assert translated("add", "Guide", "fr", "--from", "en")[0] == 0
        started = "Started the translation of “Guide” into fr. `recto translate show` shows its state.\n"
        assert translated("run", "Guide", "fr") == (0, started, "")

        use("raise SystemExit('No credit.')", tmp_path)
        with monkeypatch.context() as patch:
            # The run fails before it shows as running; elsewhere a slow machine may take its time to begin.
            patch.setattr(translations, "_LONGEST_BEGINNING_S", 0.0)
            assert translated("run", "Guide", "de", "--wait") == (
                1,
                "",
                "recto: “Guide” into de was not translated: it is pending, and the platform says no more.\n",
            )
        use(f"import os, signal; os.kill({os.getpid()}, signal.SIGINT); {HANGING}", tmp_path)
        code, out, err = translated("run", "Guide", "de", "--wait")
        assert (code, out, "a run that has begun goes on" in err) == (130, "", True)
        assert "is being run already" in translated("run", "Guide", "de")[2]


def test_the_help_says_what_the_exit_codes_of_a_run_mean(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        run(["translate", "run", "--help"])
    words = " ".join(capsys.readouterr().out.split())
    assert "0 if the run ended" in words
    assert "130 after Ctrl+C" in words
