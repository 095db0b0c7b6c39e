"""YAML that says values and nothing else: no code, no objects, nothing that is small on disk and large in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

BYTES_MAX = 256 << 10
_MERGE = "tag:yaml.org,2002:merge"


class PlainYamlError(ValueError):
    """What is not taken; the message is one line."""


def read(path: Path, most: int = BYTES_MAX) -> bytes:
    """The file's bytes. Raises PlainYamlError; also where it is longer than `most`."""
    try:
        with path.open("rb") as file:
            text = file.read(most + 1)
    except OSError as error:
        raise PlainYamlError(error.strerror or str(error)) from error
    if len(text) > most:
        raise PlainYamlError(f"it is longer than {most} bytes")
    return text


def parse(text: bytes) -> object:
    """One document. Raises PlainYamlError."""
    try:
        return yaml.load(text, Loader=_Loader)
    except RecursionError as error:
        raise PlainYamlError("it nests too deeply") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: what looks like a date or a number and is none
        raise PlainYamlError(" ".join(str(error).split()).replace('in "<byte string>", ', "at ")) from error


class _Loader(yaml.SafeLoader):
    """`SafeLoader` makes values only. Here a key stands once, and nothing names its kind or stands for something elsewhere."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]  # PyYAML has types for some
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases (*name) are not taken, write it out", mark)
        if event.tag is not None:
            raise yaml.composer.ComposerError(None, None, f"tags ({event.tag}) are not taken", mark)
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag == _MERGE:
                raise yaml.constructor.ConstructorError(None, None, "merge keys (<<) are not taken, write it out", key.start_mark)
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} stands twice", key.start_mark)
            seen.add(str(key.value))
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made
