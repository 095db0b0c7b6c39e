"""Requests for differential tests: good ones, nearly good ones, and what smugglers send."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCXYZabcxyz"
METHODS = (b"GET", b"POST", b"PUT", b"DELETE", b"HEAD", b"OPTIONS", b"PATCH")
# What both parsers of a smuggling attack might read in two ways.
_BYTES = (b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b"\x00", b"\x0b", b"\x7f", b"\x80", b"0", b"1", b",", b";", b"-", b"+", b"_")


@dataclass(frozen=True, slots=True)
class Message:
    """A good request in its parts, as bytes and as what has to be read."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    raw: bytes


def _text(alphabet: bytes, low: int, high: int) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(alphabet), min_size=low, max_size=high).map(bytes)


_NAMES = _text(TOKEN, 1, 8).map(lambda name: b"x-" + name)
_VALUES = _text(b'\t !"(),/:;<=>?@[]{}azAZ09\x80\xff', 0, 10)
_SPACE = st.sampled_from([b"", b" ", b"\t", b" \t "])
_TARGETS = _text(b"!$%&'()*+,-./0:;=?@Z_a~", 0, 20).map(lambda rest: b"/" + rest)


@st.composite
def chunked(draw: st.DrawFn, body: bytes) -> bytes:
    """`body` in chunks of any cut, sizes in either case, some with zeros in front, extensions or trailers."""
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=3)))
    pieces = [piece for begin, end in zip([0, *cuts], [*cuts, len(body)], strict=True) if (piece := body[begin:end])]
    extension = st.sampled_from([b""] * 3 + [b";a", b";a=b", b';a="b c"', b"; a"])
    form = st.sampled_from([b"%x", b"%X", b"0%x", b"000%X"])
    framed = b"".join(draw(form) % len(piece) + draw(extension) + b"\r\n" + piece + b"\r\n" for piece in pieces)
    trailers = b"".join(b"%b: %b\r\n" % trailer for trailer in draw(st.lists(st.tuples(_NAMES, _VALUES), max_size=2)))
    return framed + draw(st.sampled_from([b"0", b"00", b"0;a"])) + b"\r\n" + trailers + b"\r\n"


@st.composite
def good_messages(draw: st.DrawFn) -> Message:
    """A request that nobody has reason to refuse."""
    method, target = draw(st.sampled_from(METHODS)), draw(_TARGETS)
    body = draw(st.binary(max_size=40))
    frame = draw(st.sampled_from(["none", "length", "chunked"]))
    headers = [(b"Host", b"x"), *draw(st.lists(st.tuples(_NAMES, _VALUES), max_size=4))]
    if draw(st.booleans()) and frame != "none":
        headers.append((b"Expect", draw(st.sampled_from([b"100-continue", b"100-Continue"]))))
    if frame == "length":
        headers.append((draw(st.sampled_from([b"Content-Length", b"content-length"])), b"%d" % len(body)))
    if frame == "chunked":
        headers.append((b"Transfer-Encoding", draw(st.sampled_from([b"chunked", b"Chunked"]))))
    headers = draw(st.permutations(headers))
    lines = b"".join(name + b":" + draw(_SPACE) + value + draw(_SPACE) + b"\r\n" for name, value in headers)
    sent = {"none": b"", "length": body}.get(frame)
    raw = method + b" " + target + b" HTTP/1.1\r\n" + lines + b"\r\n" + (draw(chunked(body)) if sent is None else sent)
    read = tuple((name.lower(), value.strip(b" \t")) for name, value in headers)
    return Message(method.decode(), target.decode(), read, b"" if frame == "none" else body, raw)


_FRAMING = st.sampled_from(
    [
        *(
            b"Content-Length: " + value
            for value in (b"3", b"5", b"05", b"3, 3", b"3,5", b"+3", b"-3", b"0x3", b"3 ", b" 3", b"", b"3 5")
        ),
        *(b"Content-Length: " + value for value in (b"9" * 19, b"9" * 25, b"\xb3", b"3\x0b", b'"3"')),
        *(
            b"Transfer-Encoding: " + value
            for value in (b"chunked", b"Chunked", b"\x0bchunked", b"chunked\x0b", b"xchunked", b"chunked,")
        ),
        *(
            b"Transfer-Encoding: " + value
            for value in (b", chunked", b"identity", b"gzip, chunked", b"chunked, chunked", b"", b'"chunked"')
        ),
        *(
            b"Transfer-Encoding: " + value
            for value in (b"chunked, identity", b"chunked;q=1", b"chun\tked", b"chunked \t", b"\r\n chunked")
        ),
        *(b"Content-Length" + between + b"3" for between in (b" : ", b"\t:", b":\t", b" ", b"\x00: ", b"\r\n: ", b":\r\n ")),
        *(
            b"Transfer-Encoding" + between + b"chunked"
            for between in (b" : ", b"\t: ", b":", b":\x0b", b"\x80: ", b"\r\n: ", b":\r\n\t")
        ),
        *(b"Expect: " + value for value in (b"100-continue", b"100-Continue", b"200-ok", b"100-continue, 100-continue", b"")),
        *(
            b"Connection: " + value
            for value in (b"close", b"keep-alive", b"keep-alive, Close", b"Upgrade", b"Content-Length", b"xclose")
        ),
        *(b"Host: " + value for value in (b"x", b"y", b"", b"x, y", b"x y")),
        *(
            b" Content-Length: 3",
            b"\tTransfer-Encoding: chunked",
            b"content_length: 3",
            b"Transfer_Encoding: chunked",
            b"Upgrade: h2c",
        ),
    ]
)
_LINE_ENDS = st.sampled_from([b"\r\n"] * 14 + [b"\n", b"\r", b"\r\r\n", b"\r\n ", b"\n\r\n", b"\x0b\r\n"])
_REQUEST_LINES = st.sampled_from(
    [b"POST /a HTTP/1.1"] * 6
    + [b"GET / HTTP/1.1", b"POST /a?b HTTP/1.0", b"HEAD / HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET http://y/a HTTP/1.1"]
    + [b"GET /  HTTP/1.1", b"GET\t/ HTTP/1.1", b"get / HTTP/1.1", b"GET / http/1.1", b"GET / HTTP/1.1 ", b"GET / HTTP/01.1"]
    + [
        b"GET /\x80 HTTP/1.1",
        b"GET / HTTP/1.2",
        b"GET / HTTP/2.0",
        b"GET /",
        b" GET / HTTP/1.1",
        b"\r\nGET / HTTP/1.1",
        b"PRI * HTTP/2.0",
    ]
)
_BODIES = st.sampled_from(
    [
        *(b"", b"abc", b"hello", b"0\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\n", b"3\nabc\n0\n\n", b"3;x\r\nabc\r\n0\r\nT: u\r\n\r\n"),
        *(
            b"2\r\nabc\r\n0\r\n\r\n",
            b"3 \r\nabc\r\n0\r\n\r\n",
            b" 3\r\nabc\r\n0\r\n\r\n",
            b"+3\r\nabc\r\n0\r\n\r\n",
            b"0x3\r\nabc\r\n0\r\n\r\n",
        ),
        *(
            b"3\r\nabc0\r\n\r\n",
            b"3\r\nabc\n0\r\n\r\n",
            b"3\r\nabc\r\n0\r\n\n",
            b"3\r\nabc\r\n0\n\r\n",
            b"3\rabc\r\n0\r\n\r\n",
            b"\r\n3\r\nabc\r\n",
        ),
        *(
            b"3;a\nb\r\nabc\r\n0\r\n\r\n",
            b"3;a\x00\r\nabc\r\n0\r\n\r\n",
            b"3\x0b\r\nabc\r\n0\r\n\r\n",
            b"3_\r\nabc\r\n0\r\n\r\n",
            b"-0\r\n\r\n",
        ),
        *(
            b"0\r\nContent-Length: 3\r\n\r\nabc",
            b"0\r\nT: u\r\n v\r\n\r\n",
            b"0\r\nT : u\r\n\r\n",
            b"0\r\nT\r\n\r\n",
            b"0\r\nT: \x01\r\n\r\n",
        ),
        *(
            b"f" * 20 + b"\r\n",
            b"0" * 30 + b"\r\n\r\n",
            b"10000000000000000\r\n",
            b"ffffffffffffffff\r\n",
            b"0" * 19 + b"3\r\nabc\r\n0\r\n\r\n",
        ),
        *(
            b"GET /b HTTP/1.1\r\nhost: x\r\n\r\n",
            b"0\r\n\r\nGET /b HTTP/1.1\r\nhost: x\r\n\r\n",
            b"0\r\n" + b"T: u\r\n" * 40 + b"\r\n",
        ),
    ]
)


@st.composite
def hostile_messages(draw: st.DrawFn) -> bytes:
    """A request whose framing says too little, too much, or one thing to one parser and another to the next."""
    host = [b"Host: x"] if draw(st.integers(0, 5)) else []
    lines = [*host, *draw(st.lists(_FRAMING, min_size=1, max_size=3))]
    head = b"".join(line + draw(_LINE_ENDS) for line in [draw(_REQUEST_LINES), *lines])
    return head + draw(_LINE_ENDS) + draw(_BODIES)


@st.composite
def mutated_messages(draw: st.DrawFn) -> bytes:
    """A good request with a byte or two put in, taken out or changed."""
    raw = draw(good_messages()).raw
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(raw)))
        raw = raw[:at] + draw(st.sampled_from([b"", *_BYTES])) + raw[at + draw(st.integers(0, 2)) :]
    return raw


def connections() -> st.SearchStrategy[bytes]:
    """What a client sends on one connection: one to four requests, good or not, one after the other."""
    one = st.one_of(good_messages().map(lambda message: message.raw), mutated_messages(), hostile_messages())
    return st.lists(one, min_size=1, max_size=4).map(b"".join)
