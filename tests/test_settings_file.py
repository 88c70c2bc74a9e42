from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recto.settings import SettingsError, load
from recto.settings_file import save, save_keys

WRITTEN = """\
# My settings.
theme = "dark"   # easier on the eyes

editor = "vim"

[keys]
# as in my other programs
"page.edit" = ["i", "e"]  # i first
view.refresh = "R"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "settings.toml"
    found.write_text(WRITTEN)
    return found


def test_a_setting_is_replaced_where_it_stands_with_its_comments(file: Path) -> None:
    save(file, "theme", "light")

    assert file.read_text() == WRITTEN.replace('"dark"', '"light"')


def test_changes_at_the_same_time_are_all_kept(file: Path) -> None:
    actions = [f"page.action{number}" for number in range(20)]
    with ThreadPoolExecutor(len(actions)) as threads:
        for saved in [threads.submit(save_keys, file, action, ("x",)) for action in actions]:
            saved.result()

    assert load(file, {}).keys.keys() >= {*actions}


def test_a_new_setting_stands_before_the_tables(file: Path) -> None:
    save(file, "polling", 30)

    assert load(file, {}).polling == 30
    assert file.read_text().replace("polling = 30\n", "").split() == WRITTEN.split()


def test_a_setting_that_is_removed_leaves_the_rest(file: Path) -> None:
    save(file, "editor", None)
    save(file, "pictures", None)

    assert file.read_text() == WRITTEN.replace('editor = "vim"\n', "")


def test_keys_are_replaced_under_either_spelling(file: Path) -> None:
    save_keys(file, "page.edit", ("w",))
    save_keys(file, "view.refresh", ())
    save_keys(file, "item.new", ("n", "ctrl+n"))

    assert load(file, {}).keys == {"page.edit": ("w",), "view.refresh": (), "item.new": ("n", "ctrl+n")}
    text = file.read_text()
    assert '"page.edit" = "w"  # i first' in text
    assert "view.refresh = []" in text
    assert "# as in my other programs" in text


def test_keys_of_an_action_go_with_those_under_its_former_names(file: Path) -> None:
    save_keys(file, "view.refresh", None)
    save_keys(file, "reader.edit", None, former=["page.edit"])

    assert load(file, {}).keys == {}
    assert "# My settings." in file.read_text()


def test_a_file_is_made_where_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "new" / "settings.toml"
    save_keys(file, "page.edit", ("x",))
    save(file, "mouse", False)

    assert (load(file, {}).mouse, load(file, {}).keys) == (False, {"page.edit": ("x",)})


def test_a_link_to_the_file_stays(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    save(link, "theme", "light")

    assert link.is_symlink()
    assert load(file, {}).theme == "light"


@pytest.mark.parametrize(("text", "said"), [("theme = ", "not valid TOML"), ("keys = 3\n", "must be a table")])
def test_a_file_that_is_wrong_is_left_alone(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)

    with pytest.raises(SettingsError, match=said):
        save_keys(file, "page.edit", ("x",))

    assert file.read_text() == text
