"""Fields as people read them: what is not known is said to be."""

from __future__ import annotations

import msgspec

from stack.api import field_tables
from stack.api.table import clock
from stack.control.fields import FieldState, Held
from tests.stack.api.test_tables import STATE, _cells, _text

FIELD = FieldState(field="models.smollm2.session_keys", desired="")


def test_a_value_that_all_go_by_stands_alone_and_several_name_who_goes_by_which() -> None:
    one, other = Held(by=("router-0", "router-2"), value=512), Held(by=("router-1",), value="kv_aware")
    assert [field_tables.applied(msgspec.structs.replace(FIELD, applied=held)) for held in ((), (one,), (one, other))] == [
        "unknown",
        "512",
        "512 (router-0, router-2), kv_aware (router-1)",
    ]
    assert field_tables.applied(msgspec.structs.replace(FIELD, applied=(Held(by=("router-0",), known=False),))) == "unknown"


def test_a_table_shows_the_fields_that_it_is_for() -> None:
    late = FieldState(field="models.smollm2.strategy", desired="session", reason="router-0 is [red]late[/red]", since=5.0)
    seen = FieldState(
        field="models.smollm2.pools.decode.replicas", desired=2, applied=(Held(by=("machinery",), value=2),), observed="2 ready"
    )
    view = msgspec.structs.replace(STATE, fields=(FIELD, late, seen))
    tables = {draw: _text(draw(view)) for draw in (field_tables.differing, field_tables.telling, field_tables.every)}
    counts = {draw.__name__: sum(line.startswith("│ ") for line in text.splitlines()) for draw, text in tables.items()}
    assert counts == {"differing": 1, "telling": 2, "every": 3}
    shown = tables[field_tables.telling]
    assert _cells(shown, "strategy") == [
        "strategy",
        "session",
        "unknown",
        "",
        clock(5.0),
        "router-0 is [red]late[/red]",
    ]
    assert _cells(shown, "pools")[1:] == ["2", "2", "2 ready", "", ""]
    assert _text(field_tables.differing(msgspec.structs.replace(STATE, fields=(seen,)))) == ""
