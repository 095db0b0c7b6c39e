import pytest

from stack.emulator.answer import Limits
from stack.emulator.bodies import ChatBody, CompletionBody, TokenizeBody, decode
from stack.emulator.errors import ApiError
from stack.emulator.tokens import ByteTokenizer, PromptError


def refused(body: bytes, prompt_tokens: int = 10) -> tuple[int, str, str | None]:
    """Status, type and param of the refusal."""
    with pytest.raises(ApiError) as error:
        decode(body, CompletionBody)[0].limits(prompt_tokens, 100)
    return error.value.status, error.value.kind, error.value.param


def limits(body: bytes) -> Limits:
    return decode(body, CompletionBody)[0].limits(10, 100)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"prompt": "\xff"}', b"[" * 100_000])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    assert refused(body)[:2] in {(400, "Bad Request"), (400, "BadRequestError")}


def test_a_body_of_the_wrong_shape_is_refused() -> None:
    assert refused(b'{"prompt": 5}') == (400, "BadRequestError", None)
    assert refused(b'{"prompt": "x", "kv_transfer_params": "y"}') == (400, "BadRequestError", None)


def test_refusals_name_their_parameter() -> None:
    assert refused(b'{"prompt": "x"}', prompt_tokens=100) == (400, "BadRequestError", "input_tokens")
    assert refused(b'{"prompt": "x", "stream_options": {"include_usage": true}}') == (400, "BadRequestError", "stream_options")
    assert refused(b'{"prompt": "x", "max_tokens": 0}') == (400, "BadRequestError", "max_tokens")
    assert refused(b'{"prompt": "x", "n": 2}') == (400, "BadRequestError", "n")


def test_an_answer_fits_into_the_context() -> None:
    assert limits(b'{"prompt": "x"}').max_tokens == 16
    assert limits(b'{"prompt": "x", "max_tokens": null}').max_tokens == 90
    assert limits(b'{"prompt": "x", "max_tokens": 1000}').max_tokens == 90


def test_unknown_fields_are_ignored() -> None:
    assert limits(b'{"prompt": "x", "stop": "a", "temperature": 0, "whatever": [1]}') == Limits(16, stop=("a",))


def test_the_newer_name_of_max_tokens_wins_in_chats() -> None:
    body, _ = decode(b'{"messages": [], "max_tokens": 5, "max_completion_tokens": 7}', ChatBody)
    assert body.limits(10, 100).max_tokens == 7


def test_transfer_parameters_are_found_where_the_real_engine_finds_them() -> None:
    hidden, _ = decode(b'{"prompt": "x", "vllm_xargs": {"kv_transfer_params": {"do_remote_prefill": true}}}', CompletionBody)
    assert hidden.transfer() == {"do_remote_prefill": True}
    both, _ = decode(
        b'{"prompt": "x", "kv_transfer_params": {"a": 1}, "vllm_xargs": {"kv_transfer_params": {"b": 2}}}', CompletionBody
    )
    assert both.transfer() == {"a": 1}


@pytest.mark.parametrize("prompt", [b'"abcd"', b'["abcd"]', b"[1633837924]", b"[[1633837924]]"])
def test_a_prompt_is_a_text_or_tokens_or_a_list_with_one(prompt: bytes) -> None:
    body, raw = decode(b'{"prompt": ' + prompt + b"}", CompletionBody)
    assert body.tokens(raw, ByteTokenizer()) == [1633837924]


@pytest.mark.parametrize("prompt", [b'["a", "b"]', b"[]", b"[[1], [2]]"])
def test_several_prompts_or_none_are_refused(prompt: bytes) -> None:
    body, raw = decode(b'{"prompt": ' + prompt + b"}", CompletionBody)
    with pytest.raises(PromptError):
        body.tokens(raw, ByteTokenizer())


def test_tokenize_takes_a_prompt_or_a_chat() -> None:
    for body in (b'{"prompt": "abcd"}', b'{"messages": [{"role": "user", "content": "hi"}]}'):
        asked, raw = decode(body, TokenizeBody)
        assert asked.tokens(raw, ByteTokenizer())
    asked, raw = decode(b"{}", TokenizeBody)
    with pytest.raises(PromptError):
        asked.tokens(raw, ByteTokenizer())
