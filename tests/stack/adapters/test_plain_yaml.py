from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.adapters.plain_yaml import BYTES_MAX, PlainYamlError, parse, read

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_values_are_values() -> None:
    assert parse(b"models: {m: {strategy: session, share: 0.5, own: null, pools: [1, true]}}") == {
        "models": {"m": {"strategy": "session", "share": 0.5, "own": None, "pools": [1, True]}}
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("!!python/object/apply:os.system [echo]", r"tags \(tag:yaml\.org,2002:python/object/apply:os\.system\) are not taken"),
        ("a: !ruby/object:X {}", r"tags \(!ruby/object:X\) are not taken"),
        ("a: !!bool perhaps", r"tags \(tag:yaml\.org,2002:bool\) are not taken"),
        ("a: !!timestamp never", "are not taken"),
        ("a: ! x", r"tags \(!\) are not taken"),
        (BOMB, r"aliases \(\*name\) are not taken, write it out"),
        ("a: {x: 1, y: 2, x: 3}", "'x' stands twice"),
        ("a: 1\nb: 2\na: 3", "'a' stands twice"),
        ("a: {<<: {x: 1}, x: 2}", r"merge keys \(<<\) are not taken, write it out"),
        ("<<: [{a: 1}, {a: 2}]", r"merge keys \(<<\) are not taken"),
        ("[" * 5_000, "it nests too deeply"),
        ("{a: " * 5_000 + "1" + "}" * 5_000, "it nests too deeply"),
        ("a: 1\n---\nb: 2", "expected a single document"),
        ("a: [", "while parsing a flow node"),
        ("a: 2026-13-45", "month must be in 1..12"),
        ("a: " + "9" * 10_000, "Exceeds the limit"),
        ("? [a]\n: 1", "unhashable key"),
        ("\x00", "special characters are not allowed"),
        ("a: \udcff", "'utf-8' codec can't decode|invalid|special characters"),
    ],
)
def test_what_is_more_than_values_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(PlainYamlError, match=message) as refused:
        parse(text.encode(errors="surrogateescape"))
    assert "\n" not in str(refused.value)


@given(st.text(st.sampled_from("ab:1-[]{},?!&*#|>%@'\"\\\t\n .~<=_eE+0x")))
def test_whatever_it_says_is_a_value_or_refused(text: str) -> None:
    with suppress(PlainYamlError):
        parse(text.encode())


def test_a_file_is_read_up_to_a_length(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_bytes(b"#" * BYTES_MAX)
    assert len(read(file)) == BYTES_MAX
    file.write_bytes(b"#" * (BYTES_MAX + 1))
    with pytest.raises(PlainYamlError, match="it is longer than 262144 bytes"):
        read(file)
    with pytest.raises(PlainYamlError, match="No such file or directory"):
        read(tmp_path / "missing.yaml")
    with pytest.raises(PlainYamlError, match="Is a directory"):
        read(tmp_path)
