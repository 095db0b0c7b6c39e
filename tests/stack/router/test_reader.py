"""The wire's parser against h11: what we take as requests, h11 reads the same way; what h11 refuses, we refuse."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stack.router.head import RefusedRequestError
from stack.router.message import Limits, Request
from stack.router.reader import RequestReader
from tests.stack.router.hostile_http import Message, connections, good_messages

Seen = tuple[str, str, tuple[tuple[bytes, bytes], ...], bytes]
CHUNKED = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
LIMITS = Limits(body_bytes=10_000, header_bytes=4_096, header_count=20, target_bytes=512)


def ours(*pieces: bytes) -> tuple[list[Seen], int | None]:
    """Requests read, and the status of the refusal that ended the reading, if any."""
    reader = RequestReader(LIMITS, clock=lambda: 0.0)
    seen: list[Seen] = []
    try:
        for piece in pieces:
            reader.feed(piece)
            while (request := reader.take()) is not None:
                seen.append(_seen(request))
                if reader.head is not None and not reader.head.keep_alive:
                    return seen, None  # the connection closes after its answer
    except RefusedRequestError as error:
        return seen, error.status
    return seen, None


def _seen(request: Request) -> Seen:
    target = request.path + (f"?{request.query}" if request.query else "")
    return request.method, target, _compared(request.headers.pairs), request.body


def _compared(headers: Iterable[tuple[bytes, bytes]]) -> tuple[tuple[bytes, bytes], ...]:
    """All but the length, which is the body's here; that h11 writes a coding's name in lower case is no difference."""
    said = [(name, value.lower() if name == b"transfer-encoding" else value) for name, value in headers]
    return tuple(header for header in said if header[0] != b"content-length")


def _target(sent: str) -> str:
    """As a request tells it: the path behind a host it names, no mark before an empty query."""
    path = re.sub(r"(?i)^https?://[^/?#]*", "", sent)
    path, mark, query = path.partition("?")
    return (path or "/") + (mark + query if query else "")


def theirs(data: bytes) -> tuple[list[Seen], bool]:
    """Requests as h11 reads them, and whether it refused to read on."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=LIMITS.header_bytes)
    connection.receive_data(data)
    seen: list[Seen] = []
    head: h11.Request | None = None
    body = b""
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                head, body = event, b""
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                assert head is not None
                seen.append((head.method.decode(), _target(head.target.decode()), _compared(head.headers), body))
                if head.method == b"CONNECT":
                    return seen, False
                connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is h11.MUST_CLOSE:
                    return seen, False
                connection.start_next_cycle()
            else:
                return seen, False
    except h11.RemoteProtocolError:
        return seen, True


GOOD = {
    "a plain GET": b"GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n",
    "a body with a length": b"POST /v1 HTTP/1.1\r\nhost: x\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": b"POST /v1 HTTP/1.1\r\nhost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "chunks with extensions and trailers": (
        b"POST /v1 HTTP/1.1\r\nhost: x\r\ntransfer-encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n0;x\r\nT: 1\r\n\r\n"
    ),
    "three in a row": b"GET /1 HTTP/1.1\r\nhost: x\r\n\r\n"
    b"POST /2 HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nok"
    b"GET /3 HTTP/1.1\r\nhost: x\r\n\r\n",
    "tabs and spaces round a value": b"GET / HTTP/1.1\r\nhost: \t x \t \r\nempty:\r\n\r\n",
    "obs-text": b"GET / HTTP/1.1\r\nhost: x\r\nname: \xff\xe9\r\n\r\n",
    "an offer to upgrade": b"GET / HTTP/1.1\r\nhost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    "a body that looks like a request": b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 25\r\n\r\nGET /admin HTTP/1.1\r\n\r\n\r\n",
    "HTTP/1.0 without a host": b"GET / HTTP/1.0\r\n\r\n",
}

# Refused by h11 too.
HOSTILE = {
    "two lengths that differ": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!", 400),
    "a list of lengths that differ": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5, 6\r\n\r\nhello!", 400),
    "a signed length": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: +5\r\n\r\nhello", 400),
    "a hexadecimal length": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0x5\r\n\r\nhello", 400),
    "an empty length": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length:\r\n\r\nhello", 400),
    "two codings": (
        b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    "another coding": (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    "an unknown coding": (b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
    "space before the colon": (b"GET / HTTP/1.1\r\nhost : x\r\n\r\n", 400),
    "space before a framing header's colon": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length : 5\r\n\r\nhello", 400),
    "a NUL in a value": (b"GET / HTTP/1.1\r\nhost: x\r\na: b\x00c\r\n\r\n", 400),
    "a NUL in a name": (b"GET / HTTP/1.1\r\nhost: x\r\na\x00: b\r\n\r\n", 400),
    "a bare CR in a value": (b"GET / HTTP/1.1\r\nhost: x\r\na: b\rc: d\r\n\r\n", 400),
    "a line without a colon": (b"GET / HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n", 400),
    "an empty name": (b"GET / HTTP/1.1\r\nhost: x\r\n: b\r\n\r\n", 400),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n", 400),
    "a leading blank line": (b"\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "leading space": (b" GET / HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "two spaces in the request line": (b"GET  / HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "no target": (b"GET HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "no version": (b"GET /\r\nhost: x\r\n\r\n", 400),
    "a target beyond ASCII": (b"GET /\xe9 HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    "a chunk that is no number": (CHUNKED + b"z\r\n\r\n", 400),
    "a negative chunk": (CHUNKED + b"-1\r\n\r\n", 400),
    "a chunk longer than its size": (
        CHUNKED + b"3\r\nhello\r\n0\r\n\r\n",
        400,
    ),
    "a chunk's size that overflows": (
        CHUNKED + b"f" * 40 + b"\r\n",
        400,
    ),
    "a chunk line that ends in LF alone": (
        CHUNKED + b"5\nhello\r\n0\r\n\r\n",
        400,
    ),
}

# h11 takes these; we do not, each for its reason.
STRICTER = {
    "length and coding at once: another server may believe the other one": (
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        400,
    ),
    "one length twice: legal, sent by nobody honest": (
        b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\nhello",
        400,
    ),
    "lines that end in LF alone": (b"GET / HTTP/1.1\nhost: x\n\n", 400),
    "one line that ends in LF alone": (b"GET / HTTP/1.1\r\nhost: x\na: b\r\n\r\n", 400),
    "folded lines": (b"GET / HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n", 400),
    "control characters in a value": (b"GET / HTTP/1.1\r\nhost: x\r\na: \x01\r\n\r\n", 400),
    "a coding in HTTP/1.0": (b"POST / HTTP/1.0\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "space after a chunk's size": (CHUNKED + b"0 \r\n\r\n", 400),
    "another version, whose framing is unknown": (b"GET / HTTP/2.0\r\nhost: x\r\n\r\n", 505),
    "a tunnel": (b"CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n", 405),
    "a method nobody knows": (b"FOO / HTTP/1.1\r\nhost: x\r\n\r\n", 501),
    "a target that is no path": (b"OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n", 400),
    "an unknown expectation": (b"POST / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\ncontent-length: 0\r\n\r\n", 417),
    "a body over the limit": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10001\r\n\r\n", 413),
    "a length of 19 digits": (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9999999999999999999\r\n\r\n", 413),
    "a chunk over the limit": (CHUNKED + b"ffff\r\n", 413),
    "too many headers": (b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a: b\r\n" * 20 + b"\r\n", 431),
    "a target that is too long": (b"GET /" + b"a" * 512 + b" HTTP/1.1\r\nhost: x\r\n\r\n", 414),
    "a target without an end": (b"GET /" + b"a" * 2000, 414),
}


# Where we refuse and h11 goes on, the bytes show one of these. The other statuses speak for themselves.
ON_PURPOSE = {
    "length and coding at once": rb"(?is)content-length:.*transfer-encoding:|transfer-encoding:.*content-length:",
    "one length twice, or in a list": rb"(?is)content-length:.*(content-length:|,)",
    "a line that ends in LF alone": rb"(?<!\r)\n",
    "a CR that ends no line": rb"\r(?!\n)",
    "a folded line": rb"\r\n[ \t]",
    "a control character": rb"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]",
    "a coding in HTTP/1.0": rb"(?is)HTTP/1\.0.*transfer-encoding:",
    "space round a chunk's size": rb"\r\n[0-9A-Fa-f]+[ \t]",
    "a method that begins with no letter": rb"[-!#$%&'*+.^_`|~0-9][A-Z]* [/h*]",
    "a target that is no path": rb"(?m)^[A-Z]+ [^/h]",
}
UNMISTAKABLE = {405, 413, 414, 417, 431, 501, 505}


@pytest.mark.parametrize("name", GOOD)
def test_good_requests_read_as_h11_reads_them(name: str) -> None:
    seen, refused = ours(GOOD[name])
    assert refused is None
    assert seen
    assert seen == theirs(GOOD[name])[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_what_h11_refuses_is_refused(name: str) -> None:
    data, status = HOSTILE[name]
    assert theirs(data) == ([], True)
    assert ours(data) == ([], status)


@pytest.mark.parametrize("name", STRICTER)
def test_what_is_doubtful_is_refused_although_h11_takes_it(name: str) -> None:
    data, status = STRICTER[name]
    assert ours(data) == ([], status)
    assert not theirs(data)[1]


def test_a_head_that_is_too_large_is_refused_before_it_ends() -> None:
    assert ours(b"GET / HTTP/1.1\r\nhost: x\r\na: " + b"b" * 5_000) == ([], 431)


def test_an_absolute_target_is_a_path_here() -> None:
    assert ours(b"GET http://example.org/a?b HTTP/1.1\r\nhost: x\r\n\r\n") == ([("GET", "/a?b", ((b"host", b"x"),), b"")], None)


def test_a_million_tiny_chunks_are_too_many() -> None:
    reader = RequestReader(Limits(), clock=lambda: 0.0)
    reader.feed(CHUNKED + b"1\r\na\r\n" * 70_000)
    with pytest.raises(RefusedRequestError, match="too many chunks"):
        reader.take()


@pytest.mark.parametrize("head", [CHUNKED + b"3e8\r\n", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n"])
def test_what_is_held_is_the_body_so_far_and_nothing_once_dropped(head: bytes) -> None:
    reader = RequestReader(LIMITS, clock=lambda: 0.0)
    reader.feed(head + b"a" * 700)
    assert reader.take() is None
    assert reader.held == 700
    reader.drop()
    assert reader.held == 0


@pytest.mark.parametrize(
    "data", [*GOOD.values(), *(data for data, _ in HOSTILE.values()), *(data for data, _ in STRICTER.values())]
)
def test_where_the_bytes_are_cut_changes_nothing(data: bytes) -> None:
    whole = ours(data)
    assert ours(*(data[i : i + 1] for i in range(len(data)))) == whole
    for cut in range(1, min(len(data), 400)):
        assert ours(data[:cut], data[cut:]) == whole


@given(messages=st.lists(good_messages(), min_size=1, max_size=4))
def test_good_requests_read_as_they_were_written(messages: list[Message]) -> None:
    data = b"".join(message.raw for message in messages)
    expected = [_written(message) for message in messages]
    assert ours(data) == (expected, None)
    assert theirs(data) == (expected, False)


def _written(message: Message) -> Seen:
    return message.method, _target(message.target), _compared(message.headers), message.body


# What is said of a length, and how much of a body then comes.
_LENGTHS = st.sampled_from(
    [
        *((b"%d" % size, size) for size in (0, 5, 12)),
        *((text, 5) for text in (b"05", b"5 ", b" 5", b"5\r\nx: y", b"+5", b"5, 5")),
        *((text, 0) for text in (b"", b"10001", b"9" * 19, b"9" * 20)),
    ]
)


@given(
    lengths=st.lists(_LENGTHS, min_size=2, max_size=4),
    after=st.sampled_from([b"", b" ", b"\r\na: b", b"\r\nconnection: x", b"\r\nexpect: 100-continue"]),
)
def test_a_head_that_was_said_before_reads_as_if_it_were_new(lengths: list[tuple[bytes, int]], after: bytes) -> None:
    requests = [
        b"POST /a HTTP/1.1\r\nhost: x\r\nContent-Length: %b%b\r\n\r\n%b" % (text, after, b"a" * size) for text, size in lengths
    ]
    expected: list[Seen] = []
    refused = None
    for request in requests:
        seen, refused = ours(request)
        expected += seen
        if refused is not None:
            break
    assert ours(*requests) == (expected, refused)


def test_a_long_head_reads_the_same_the_second_time() -> None:
    reader = RequestReader(Limits(), clock=lambda: 0.0)
    bodies = []
    for size in (3, 12):
        reader.feed(b"POST / HTTP/1.1\r\nhost: x\r\na: %b\r\ncontent-length: %d\r\n\r\n%b" % (b"b" * 5_000, size, b"c" * size))
        request = reader.take()
        assert request is not None
        bodies.append(request.body)
    assert bodies == [b"c" * 3, b"c" * 12]


@pytest.mark.parametrize("text", [b"+5", b"-5", b"1_0", b"5 5", b"0x5", b""])
def test_what_is_no_length_is_refused_after_a_head_that_was_good_but_for_it(text: bytes) -> None:
    good, other = (b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: %b\r\n\r\naaaaa" % length for length in (b"5", text))
    assert ours(good, good, other) == (2 * ours(good)[0], 400)


def test_a_head_that_longer_digits_make_too_large_is_refused_the_second_time_as_well() -> None:
    size = len(b"POST / HTTP/1.1\r\nhost: x\r\na: \r\ncontent-length: 5\r\n\r\n")
    good, other = (
        b"POST / HTTP/1.1\r\nhost: x\r\na: %b\r\ncontent-length: %b\r\n\r\naaaaa" % (b"b" * (LIMITS.header_bytes - size), length)
        for length in (b"5", b"05")
    )
    assert ours(good, other) == (ours(good)[0], 431)


@given(data=connections(), cuts=st.lists(st.integers(0, 300), max_size=3))
def test_no_bytes_read_differently_from_h11(data: bytes, cuts: list[int]) -> None:
    """As far as we read, we read what h11 reads; where we stop and it goes on, the reason is one that was chosen."""
    seen, refused = ours(data)
    other, _ = theirs(data)
    assert seen == other[: len(seen)]
    if refused is None:
        assert len(seen) == len(other)
    elif len(other) > len(seen) or not theirs(data + b"\r\n\r\n")[1]:  # it may only wait for the end of what it will refuse
        assert refused in UNMISTAKABLE or any(re.search(shape, data) for shape in ON_PURPOSE.values())
    places = sorted({0, *cuts, len(data)})
    assert ours(*(data[begin:end] for begin, end in pairwise(places))) == (seen, refused)


@given(data=connections(), more=connections())
def test_nothing_that_comes_after_what_h11_refused_is_a_request(data: bytes, more: bytes) -> None:
    """Waiting for more bytes is not accepting; but it must not become accepting either."""
    other, they_refused = theirs(data)
    if they_refused:
        assert len(ours(data, more, CHUNKED)[0]) <= len(other)


@given(message=good_messages())
def test_a_client_that_holds_its_body_back_is_told_to_go_on_when_h11_would(message: Message) -> None:
    head = message.raw[: message.raw.index(b"\r\n\r\n") + 4]
    reader = RequestReader(LIMITS, clock=lambda: 0.0)
    reader.feed(head)
    whole = reader.take() is not None
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(head)
    connection.next_event()
    assert reader.awaits_continue == (connection.they_are_waiting_for_100_continue and not whole)


@given(data=st.binary(max_size=200))
def test_no_bytes_at_all_break_the_reader(data: bytes) -> None:
    seen, _ = ours(data)
    assert seen == theirs(data)[0][: len(seen)]
