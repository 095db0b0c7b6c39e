from __future__ import annotations

import pytest

from stack.engines.direct import direct_body


def test_the_direct_body_is_the_clients_own() -> None:
    fields = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "temperature": 0}
    assert direct_body(fields) == fields


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}])
def test_a_stream_is_always_asked_for_its_usage(options: object) -> None:
    fields = {"stream": True, "stream_options": options}
    assert direct_body(fields) == {"stream": True, "stream_options": {"include_usage": True}}
    assert fields == {"stream": True, "stream_options": options}
