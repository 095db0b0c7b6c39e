"""Ids and traces are taken when harmless, made or left out when not; headers of one hop end here."""

import pytest

from stack.router.header_fields import HeaderFields, header_lines
from stack.router.identity import Identity, inbound
from stack.router.message import Request

TRACE = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def _request(*headers: tuple[bytes, bytes]) -> Request:
    return Request("POST", "/v1/chat/completions", "", HeaderFields(headers), b"", 0.0)


def test_a_harmless_id_and_trace_are_kept_and_echoed() -> None:
    identity = Identity.of(_request((b"x-request-id", b"abc-1.2:3_x"), (b"traceparent", TRACE)))
    assert identity == Identity.named("abc-1.2:3_x", TRACE)
    assert identity.echoed == header_lines([(b"x-request-id", b"abc-1.2:3_x"), (b"traceparent", TRACE)])


@pytest.mark.parametrize("given", [b"", b"a b", b"x" * 129, b"\xff", b"<script>"])
def test_a_harmful_id_is_replaced(given: bytes) -> None:
    made = Identity.of(_request((b"x-request-id", given))).request_id
    assert len(made) == 32
    assert made.isalnum()


def test_a_malformed_trace_is_left_out() -> None:
    assert Identity.of(_request((b"traceparent", b"hello"))).traceparent is None


def test_one_hop_headers_and_the_routers_own_do_not_travel_on() -> None:
    request = _request(
        (b"host", b"router"),
        (b"connection", b"keep-alive, X-Private"),
        (b"x-private", b"1"),
        (b"te", b"trailers"),
        (b"cookie", b"session_id=a"),
        (b"accept-encoding", b"gzip"),
        (b"content-type", b"application/json; charset=utf-8"),
        (b"user-agent", b"curl"),
        (b"authorization", b"Bearer client"),
    )
    assert Identity.named("id", TRACE).outbound(request, None) == header_lines(
        [
            (b"user-agent", b"curl"),
            (b"authorization", b"Bearer client"),
            (b"content-type", b"application/json"),
            (b"x-request-id", b"id"),
            (b"traceparent", TRACE),
        ]
    )


def test_a_client_cannot_steer_inside_an_engine() -> None:
    request = _request((b"x-data-parallel-rank", b"3"), (b"x-vllm-priority", b"-100"))
    assert Identity.named("id").outbound(request, None) == b"content-type: application/json\r\nx-request-id: id\r\n"


def test_configured_credentials_replace_the_clients() -> None:
    request = _request((b"authorization", b"Bearer client"))
    for credentials in (b"Bearer engine", b"Bearer other", None):  # of one head: what was made of it for one is not another's
        assert (
            Identity.named("id")
            .outbound(request, credentials)
            .startswith(b"authorization: %b\r\n" % (credentials or b"Bearer client"))
        )


def test_an_engines_framing_stays_behind() -> None:
    headers = [(b"content-length", b"3"), (b"server", b"uvicorn"), (b"content-type", b"application/json"), (b"x-extra", b"1")]
    assert inbound(headers) == header_lines([(b"content-type", b"application/json"), (b"x-extra", b"1")])
