"""What a Dockerfile says, as far as these use the language."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Instruction:
    """Such as RUN and what follows it."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """The words after the flags; of an exec form its parts."""
        words = json.loads(self.text) if self.text.startswith("[") else self.text.split()
        return [word for word in words if not word.startswith("--")] if self.name in {"FROM", "COPY"} else list(words)


def stages(path: Path) -> list[list[Instruction]]:
    """The instructions of each stage, from its FROM on."""
    found: list[list[Instruction]] = []
    for line in path.read_text().replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, text = line.partition(" ")
            if name == "FROM":
                found.append([])
            found[-1].append(Instruction(name, text.strip()))
    return found
