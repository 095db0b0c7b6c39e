"""What control begins with: the mode, and what is desired."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stack.adapters.audit_store import SqliteStore
from stack.api.desired_file import DesiredFileError
from stack.api.settings import ControlConfigError, ControlSettings, LocalPools
from stack.control.diff import Change
from stack.control.mode import Mode
from stack.wiring.control_beginning import begun, moded

SETTINGS = ControlSettings(host="127.0.0.1", port=0, state_dir=Path("s"), pools=LocalPools(Path("none"), Path("t")))
DESIRED = "desired: {models: {m: {strategy: STRATEGY, dpd: {enabled: false}}}}\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "fleet.yaml"


@pytest.mark.parametrize(
    ("flag", "text", "mode"),
    [
        (None, DESIRED, Mode.LIVE),
        (None, DESIRED + "control: {mode: observe}", Mode.OBSERVE),
        (None, DESIRED + "control: {mode: declarative}", Mode.DECLARATIVE),
        (Mode.LIVE, DESIRED + "control: {mode: observe}", Mode.LIVE),
        (Mode.DECLARATIVE, "desired: [", Mode.DECLARATIVE),  # a file that is followed may be broken for a while
    ],
)
def test_a_flag_says_the_mode_then_the_configuration(config: Path, flag: Mode | None, text: str, mode: Mode) -> None:
    config.write_text(text)
    told = moded(replace(SETTINGS, mode=flag, config=config))
    assert (told.mode, told.followed) == (mode, config if mode is Mode.DECLARATIVE else None)


def test_without_either_the_api_changes_what_is_desired() -> None:
    assert moded(SETTINGS).mode is Mode.LIVE


@pytest.mark.parametrize("text", ["control: {mode: chaotic}", "control: {mood: live}", "control: live", "control: ["])
def test_a_section_that_makes_no_sense_is_refused(config: Path, text: str) -> None:
    config.write_text(text)
    with pytest.raises(DesiredFileError, match=r"fleet\.yaml"):
        moded(replace(SETTINGS, config=config))


def test_a_mode_and_its_file_go_together() -> None:
    with pytest.raises(ControlConfigError, match="declarative mode follows a file: name it with --desired"):
        moded(replace(SETTINGS, mode=Mode.DECLARATIVE))
    with pytest.raises(ControlConfigError, match="--desired is for declarative mode"):
        moded(replace(SETTINGS, desired=Path("fleet.yaml")))


def written(config: Path, text: str) -> None:
    config.write_text(text)


async def test_a_file_that_is_followed_must_be_good_only_at_the_very_first_start(config: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, mode=Mode.DECLARATIVE, desired=config)
    store = SqliteStore(tmp_path)
    with pytest.raises(DesiredFileError, match="No such file"):
        await begun(settings, store)
    written(config, DESIRED.replace("STRATEGY", "session"))
    assert (await begun(settings, store)).kept.generation == 1
    written(config, "desired: [")
    again = await begun(settings, store)
    assert (again.kept.generation, again.kept.desired.models["m"].strategy) == (1, "session")
    store.close()


async def test_what_a_start_changes_is_in_the_log(config: Path, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    written(config, DESIRED.replace("STRATEGY", "session"))
    await begun(replace(SETTINGS, config=config), store)
    written(config, DESIRED.replace("STRATEGY", "round_robin"))
    await begun(replace(SETTINGS, config=config), store)
    await begun(replace(SETTINGS, config=config, run="another"), store)
    told = [(record.generation, record.diff) for record in reversed(await store.records(10))]
    change = Change(field="models.m.strategy", before="session", after="round_robin")
    assert told == [(1, ()), (1, ()), (2, (change,))]
    store.close()


async def test_a_configuration_must_be_good_at_every_start(config: Path, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    written(config, DESIRED.replace("STRATEGY", "session"))
    await begun(replace(SETTINGS, config=config), store)
    written(config, "desired: [")
    with pytest.raises(DesiredFileError):
        await begun(replace(SETTINGS, config=config), store)
    store.close()
