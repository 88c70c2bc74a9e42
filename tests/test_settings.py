from __future__ import annotations

from pathlib import Path

import pytest

from recto.settings import Settings, SettingsError, load


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert load(tmp_path / "settings.toml", {}) == Settings()


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('theme = "light"\nbase_url = "https://one.example"\neditor = "vim"\n')
    environment = {"RECTO_THEME": "contrast", "RECTO_BASE_URL": "https://two.example"}

    settings = load(file, environment, {"base_url": "https://three.example", "theme": None})

    assert (settings.editor, settings.theme, settings.base_url) == ("vim", "contrast", "https://three.example")


@pytest.mark.parametrize(
    "text",
    [
        '[keys]\n"page.edit" = "x"\n"item.new" = ["b", "ctrl+n"]\n',
        '[keys]\npage.edit = "x"\nitem.new = ["b", "ctrl+n"]\n',
    ],
)
def test_keys_are_one_or_several_and_their_names_need_no_quotes(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)

    assert load(file, {}).keys == {"page.edit": ("x",), "item.new": ("b", "ctrl+n")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("theme = 'pink'", "“theme” must be one of dark, light, contrast, not “pink”"),
        ("colour = 'pink'", "there is no setting “colour”"),
        ("mouse = 'yes'", "“mouse” must be true or false"),
        ("read_only = 1", "“read_only” must be true or false"),
        ("dates = 'soon'", "“dates” must be one of relative, exact, not “soon”"),
        ("polling = 4", "“polling” must be “off” or seconds from 5 to 3,600, not 4"),
        ("polling = true", "“polling” must be “off” or seconds from 5 to 3,600, not True"),
        ("translation_command = 'translate --fast'", "“translation_command” must be a list of a program and its arg"),
        ("translation_command = []", "“translation_command” must be a list of a program and its arguments, such as"),
        ("workspace = '~nobody-here/x'", "“workspace” is ~nobody-here/x, but there is no such home folder"),
        ("base_url = 'example.org'", "must begin with http:// or https://"),
        ("keys = 'j'", "“keys” must be a table"),
        ("[keys]\npage.edit = 5", "“keys.page.edit” must be a key or a list of keys"),
        ("theme = ", "is not valid TOML"),
    ],
)
def test_a_wrong_setting_names_the_file_and_what_is_allowed(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)

    with pytest.raises(SettingsError) as raised:
        load(file, {})

    assert str(file) in str(raised.value)
    assert said in str(raised.value)


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="RECTO_THEME"):
        load(tmp_path / "settings.toml", {"RECTO_THEME": "pink"})


def test_a_file_that_is_not_text_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(b"\xff\xfe")

    with pytest.raises(SettingsError, match="cannot be read"):
        load(file, {})


@pytest.mark.parametrize("given", ["flag", "variable"])
def test_a_workspace_in_a_home_that_is_not_known_is_reported(tmp_path: Path, given: str) -> None:
    elsewhere = "~nobody-of-that-name/docs.db"
    flags = {"workspace": Path(elsewhere)} if given == "flag" else {}
    variables = {"RECTO_WORKSPACE": elsewhere} if given == "variable" else {}

    with pytest.raises(SettingsError, match=r"“workspace” is ~nobody-of-that-name/docs\.db"):
        load(tmp_path / "settings.toml", variables, flags)


def test_a_translation_engine_is_a_list_of_arguments_in_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('translation_command = ["~/translate", "--model", "~/small"]\nglossary = "~/words.toml"\n')

    settings = load(file, {"RECTO_TRANSLATION_COMMAND": "sh"})

    assert settings.translation_command == (str(Path.home() / "translate"), "--model", "~/small")
    assert settings.glossary == Path.home() / "words.toml"


def test_polling_is_seconds_or_off(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    assert load(file, {}).polling == 8
    file.write_text("polling = 30")
    assert load(file, {}).polling == 30
    file.write_text('polling = "off"')
    assert load(file, {}).polling is None
