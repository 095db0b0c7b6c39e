"""`kvdeck up` before anything is installed or started."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from stack.config import Layout
from stack.wiring.up import UpError, UpOptions, run


def test_a_desired_state_that_makes_no_sense_is_refused_before_anything_is_installed(tmp_path: Path) -> None:
    config = tmp_path / "stack.yaml"
    config.write_text("desired: {models: {m: {strategy: psychic}}}")
    layout = Layout(tmp_path / "home", tmp_path / "run")
    with pytest.raises(UpError, match=r"desired\.models\.m\.strategy: unknown strategy 'psychic'; known: kv_aware, prefix_aware"):
        run(layout, UpOptions(config=config), Console(file=StringIO()))
    assert not layout.state.exists()


def test_a_profile_of_emulated_engines_that_nobody_knows_is_refused_before_anything_is_installed(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "home", tmp_path / "run")
    with pytest.raises(UpError, match=r"no profile 'abacus' of emulated engines; there are: laptop-smollm2, h100-llama8b-tp1, "):
        run(layout, UpOptions(profile="abacus"), Console(file=StringIO()))
    assert not layout.state.exists()
