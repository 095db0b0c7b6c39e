"""Headers are found by name, and written so that nobody can write one of their own."""

import pytest

from stack.router.header_fields import HeaderFields, header_lines

ONE = ((b"host", b"x"), (b"a", b"1"))


@pytest.mark.parametrize("more", [(), ((b"a", b"2"), (b"b", b"3"), (b"a", b"4"))])
def test_the_first_value_and_all_values_of_a_name_are_told(more: tuple[tuple[bytes, bytes], ...]) -> None:
    fields = HeaderFields((*ONE, *more))
    assert len(fields) == 2 + len(more)
    assert (fields.first(b"a"), fields.first(b"c")) == (b"1", None)
    assert (fields.all(b"a"), fields.all(b"c")) == ((b"1", *(value for name, value in more if name == b"a")), ())


def test_headers_are_lines() -> None:
    assert header_lines(ONE) == b"host: x\r\na: 1\r\n"
    assert header_lines(()) == b""


@pytest.mark.parametrize("pair", [(b"a", b"b\r\nc: d"), (b"a\n", b"b"), (b"a", b"b\rc"), (b"a\r\nc", b"b"), (b"a", b"\n")])
def test_a_line_break_in_a_header_is_refused(pair: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError, match="line break"):
        header_lines([*ONE, pair])
