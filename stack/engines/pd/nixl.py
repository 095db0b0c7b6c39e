"""NIXL, pulled: vLLM's own prefill/decode protocol.

The prefill engine keeps the prompt's KV blocks for a lease (30 s by default) and answers with where they are; the
decode engine fetches them from there. Params that are late or used twice give wrong text with status 200.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from stack.engines.answer_facts import AnswerFacts, answer_facts
from stack.engines.direct import direct_body
from stack.engines.pd.base import Fields, Handover, HandoverError, PdProtocol, given_away, register

PARAMS = "kv_transfer_params"
_REMOTE_CACHED = "remote_prefill_cached_tokens"

_ASK = {
    "do_remote_decode": True,
    "do_remote_prefill": False,
    "remote_engine_id": None,
    "remote_block_ids": None,
    "remote_host": None,
    "remote_port": None,
}

# Left out of the prefill leg. Whatever shapes the prompt stays (messages, tools, tool_choice, response_format,
# reasoning_effort, template arguments, salt): both legs must see the same tokens.
_NOT_FOR_PREFILL = frozenset({
    "stream_options", "stream_interval",  # refused, or of no use, without a stream
    "n", "best_of", "min_tokens",  # one sequence of one token
    "stop", "stop_token_ids", "repetition_detection",  # a connector may keep no blocks for a request that "stopped"
    "logprobs", "top_logprobs", "logprob_token_ids",  # costly, about a token that is thrown away
    "structured_outputs", "thinking_token_budget",  # a grammar compiled for one token
    "echo", "return_token_ids", "return_prompt_text",  # would send the whole prompt back
})  # fmt: skip


class _Params(msgspec.Struct):
    """Only what is relied upon; connectors add fields of their own, which travel on word for word."""

    do_remote_prefill: bool
    remote_engine_id: str | None = None
    remote_block_ids: list[Any] | None = None
    remote_host: str | None = None
    remote_port: int | None = None
    remote_num_tokens: int | None = None
    remote_prefill_cached_tokens: int | None = None


class _Answer(msgspec.Struct):
    kv_transfer_params: dict[str, Any] | None = None


_ANSWERS = msgspec.json.Decoder(_Answer)


@dataclass(frozen=True, slots=True)
class Nixl:
    """Speaks it."""

    def prefill_body(self, fields: Fields) -> dict[str, Any]:
        """The body of the prefill leg: the same prompt, one token, and the blocks kept for a peer."""
        body = {name: value for name, value in fields.items() if name not in _NOT_FOR_PREFILL}
        body["max_tokens"] = 1
        if "max_completion_tokens" in body:
            body["max_completion_tokens"] = 1  # it wins over max_tokens
        body["stream"] = False
        body["ignore_eos"] = True
        body[PARAMS] = dict(_ASK)
        return body

    def decode_body(self, fields: Fields, handover: Handover) -> dict[str, Any]:
        """The body of the decode leg: the client's request with the prefill leg's params, to be sent once and in time."""
        return {**direct_body(fields), PARAMS: handover.params}

    def collect_body(self, fields: Fields, handover: Handover) -> dict[str, Any]:
        """The body that makes a decode engine fetch the KV, and so free it, though it refuses the client's own request.

        The prefill engine took the same body, so the decode engine does too.
        """
        return {**self.prefill_body(fields), PARAMS: handover.params}

    def handover(self, answer: bytes) -> Handover:
        """What a prefill answer (status 200) hands over.

        Raises HandoverError: `prefill_answer_malformed`, `prefill_without_params`, `prefill_params_malformed`, or the
        refusal of another protocol.
        """
        try:
            params = _ANSWERS.decode(answer).kv_transfer_params
        except (msgspec.DecodeError, RecursionError) as error:
            raise HandoverError("prefill_answer_malformed") from error
        if params is None:
            raise HandoverError("prefill_without_params")
        if (foreign := given_away(params)) is not None:
            raise HandoverError(foreign)
        try:
            checked = msgspec.convert(params, _Params)
        except (msgspec.ValidationError, RecursionError) as error:
            raise HandoverError("prefill_params_malformed") from error
        if not checked.do_remote_prefill:
            raise HandoverError("prefill_without_params")
        params.pop(_REMOTE_CACHED, None)
        return Handover(params, checked.remote_prefill_cached_tokens, answer_facts(answer), checked.remote_num_tokens)

    def transfer_lost(self, handed: Handover, facts: AnswerFacts) -> bool | None:
        """Whether the decode engine had to compute what was handed over; None where its answer does not tell.

        vLLM counts a fetched prompt as cached, whole: its own blocks and the peer's together. After a fetch that failed
        (`kv_load_failure_policy` recompute) only whole blocks of its own are left, which never reach the prompt's last token.
        One token may be missing all the same: models with a recurrent state compute the last one themselves.
        """
        expected = facts.prompt_tokens if handed.tokens is None else handed.tokens
        if facts.cached_tokens is None or expected is None:
            return None
        return facts.cached_tokens < expected - 1


@register("nixl")
def nixl() -> PdProtocol:
    """The default: engines with NIXL alone, or with NIXL inside a MultiConnector."""
    return PdProtocol("nixl", ("NixlConnector", "NixlPullConnector"), "nixl", Nixl())
