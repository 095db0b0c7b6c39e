"""Input that means harm, or is merely broken, gets an OpenAI-shaped error and harms no engine."""

import socket

import httpx
import pytest

from tests.e2e.deck import MODEL, Deck

pytestmark = pytest.mark.e2e

MESSAGES = [{"role": "user", "content": "Say hi."}]
PULL = {"do_remote_prefill": True, "do_remote_decode": False}


@pytest.fixture(autouse=True)
def unharmed(deck: Deck):  # type: ignore[no-untyped-def]  # a generator fixture whose value is not used
    """Every engine has the same process after the test as before, and still answers."""
    before = {name: part["pid"] for name, part in deck.components().items()}
    yield
    assert {name: part["pid"] for name, part in deck.components().items()} == before
    assert deck.chat("What is the capital of France?").status == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"this is no JSON", 400),
        (b'"a string"', 400),
        (b'{"model": "smollm2", "messages": [{"role": "user", "content": "\xff\xfe"}]}', 400),
        (b'{"model": "smollm2", "messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
        (b'{"model": "no-such-model", "messages": [{"role": "user", "content": "hi"}]}', 404),
        (b'{"messages": [{"role": "user", "content": "hi"}]}', 400),
    ],
    ids=["no JSON", "no object", "invalid UTF-8", "100,000 deep", "unknown model", "no model"],
)
def test_bad_input_gets_an_openai_error(deck: Deck, body: bytes, status: int) -> None:
    url = deck.url(deck.ports.router) + "/v1/chat/completions"
    answer = httpx.post(url, content=body, headers={"content-type": "application/json"}, timeout=60, trust_env=False)
    assert answer.status_code == status
    assert {"message", "type", "code"} <= answer.json()["error"].keys()


def test_a_body_of_100_mb_is_refused_before_it_is_read(deck: Deck) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\n\r\n"
    with socket.create_connection(("127.0.0.1", deck.ports.router), timeout=30) as connection:
        connection.sendall(head + b" " * 65536)
        answer = b""
        while b'"error"' not in answer and (part := connection.recv(65536)):
            answer += part
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"error"' in answer


@pytest.mark.parametrize(
    "hiding",
    [
        {"kv_transfer_params": PULL},
        {"ec_transfer_params": PULL},
        {"vllm_xargs": {"kv_transfer_params": PULL}},
        {"vllm_xargs": {"ec_transfer_params": PULL, "kept": "yes"}},
    ],
    ids=["top level", "encoder cache", "in vllm_xargs", "encoder cache in vllm_xargs"],
)
@pytest.mark.parametrize("stream", [False, True])
def test_hostile_transfer_params_are_stripped(deck: Deck, hiding: dict[str, object], stream: bool) -> None:
    body = {"model": MODEL, "messages": MESSAGES, "max_tokens": 4, "stream": stream} | hiding
    url = deck.url(deck.ports.router) + "/v1/chat/completions"
    assert httpx.post(url, json=body, timeout=60, trust_env=False).status_code == 200


def test_hostile_params_under_a_duplicate_or_escaped_key_are_stripped(deck: Deck) -> None:
    url = deck.url(deck.ports.router) + "/v1/completions"
    for key in (b'"kv_transfer_params": {}, "kv_transfer_params"', b'"kv\\u005ftransfer_params"'):
        body = b'{"model": "smollm2", "prompt": "hi", "max_tokens": 4, ' + key + b': {"do_remote_prefill": true}}'
        answer = httpx.post(url, content=body, headers={"content-type": "application/json"}, timeout=60, trust_env=False)
        assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/reset_prefix_cache", "/sleep", "/v1/load_lora_adapter", "/kv_event_sources", "/server_info"])
def test_engine_admin_paths_are_never_passed_on(deck: Deck, path: str) -> None:
    answer = httpx.post(deck.url(deck.ports.router) + path, json={"model": MODEL}, timeout=60, trust_env=False)
    assert answer.status_code == 404
    assert "error" in answer.json()
