"""When a request is over it is written down, and nothing that fails in doing so matters to anyone else."""

import asyncio

import pytest
from msgspec.structs import replace
from prometheus_client import CollectorRegistry, generate_latest

from stack.cache.others import Others
from stack.cache.rates import Observation, RateBook
from stack.engines.answer_facts import AnswerFacts
from stack.model.placement import UNKNOWN
from stack.model.plan import Choice
from stack.model.rates import PROFILE
from stack.router.header_fields import HeaderLines
from stack.router.hindsight import Hindsight
from stack.router.ledger import Ledger
from stack.router.meters import Meters
from stack.router.openai import CHAT, ParsedBody
from stack.router.recording import record_of
from stack.router.records import RecordBuffer
from stack.router.shadowing import Shadowing
from tests.stack.router.errands import CANDIDATES, PLAN, ROUTE, chosen
from tests.stack.router.errands import errand as _errand


class Broken(RateBook):
    """Rates that cannot be learnt."""

    def learn(self, engine: str, seen: Observation) -> None:
        raise RuntimeError("cannot learn")


def _ledger(rates: RateBook | None = None, others: Others | None = None) -> tuple[Ledger, RecordBuffer, CollectorRegistry]:
    registry, records = CollectorRegistry(), RecordBuffer(kept=10)
    meters, hindsight = Meters(registry), Hindsight(registry)
    shadowing = Shadowing(hindsight, meters.failed)
    return Ledger(meters, hindsight, records, rates or RateBook(PROFILE), others or Others(), shadowing), records, registry


def test_what_a_request_took_is_learnt_of_the_engine_it_was_planned_for() -> None:
    rates = RateBook(PROFILE)
    ledger, _, _ = _ledger(rates)
    ledger.close(chosen(Choice("decode-0", reason="home"), CANDIDATES))
    slower = rates.of("decode-0").prefill_tokens_per_s
    assert slower < PROFILE.prefill_tokens_per_s  # half a second for twelve tokens
    retried = chosen(Choice("decode-0", reason="home"), CANDIDATES)
    retried.engine = "decode-1"
    ledger.close(retried)
    assert rates.of("decode-0").prefill_tokens_per_s == slower
    assert rates.of("decode-1") is PROFILE


def test_what_was_cached_though_nobody_here_sent_it_shows_other_routers() -> None:
    others = Others()
    ledger, _, _ = _ledger(others=others)
    for _ in range(2):
        errand = chosen(Choice("decode-0", reason="new_prefix"), CANDIDATES)
        errand.route = replace(ROUTE, placement=UNKNOWN, prompt_bytes=2800, prefix_hashes=[1, 2, 3, 4, 5])
        ledger.close(errand)
    assert others.seen


def test_a_prefill_engine_is_learnt_and_the_decode_engine_that_computed_nothing_is_not() -> None:
    rates = RateBook(PROFILE)
    ledger, _, _ = _ledger(rates)
    ledger.close(_errand(prefill_facts=AnswerFacts(cached_tokens=128, first_token_s=0.75)))
    assert rates.changed == {"prefill-0"}


@pytest.mark.parametrize("status", [400, 499, 502])
def test_a_failed_request_teaches_nothing_and_its_phases_are_not_counted(status: int) -> None:
    rates = RateBook(PROFILE)
    ledger, records, registry = _ledger(rates)
    errand = _errand()
    errand.status = status
    ledger.close(errand)
    assert rates.changed == set()
    assert records.batch(1).errands == (errand,)
    assert b'phase="decode"' not in generate_latest(registry)


def test_a_clients_own_mistake_is_no_fallback() -> None:
    ledger, _, registry = _ledger()
    errand = _errand()
    errand.fall_back("prefill_refused")
    errand.status = 400
    ledger.close(errand)
    assert b"kvdeck_router_fallbacks_total{" not in generate_latest(registry)


def test_what_fails_in_writing_down_is_counted_and_the_rest_goes_on() -> None:
    ledger, records, registry = _ledger(Broken(PROFILE))
    ledger.close(chosen(Choice("decode-0", reason="home"), CANDIDATES))
    assert len(records) == 1
    assert b'kvdeck_router_internal_errors_total{site="learn"} 1.0' in generate_latest(registry)


def test_what_cannot_be_measured_is_counted_and_has_its_record_all_the_same() -> None:
    ledger, records, registry = _ledger()
    errand = _errand()
    errand.timeline = None  # type: ignore[assignment]  # something nobody foresaw
    ledger.close(errand)
    assert len(records) == 1
    assert b'kvdeck_router_internal_errors_total{site="meters"} 1.0' in generate_latest(registry)


def test_of_a_request_that_is_over_no_prompt_is_kept() -> None:
    ledger, records, _ = _ledger()
    errand = _errand(
        parsed=ParsedBody(CHAT, "m", {"messages": ["secret"]}, raw=b"secret"), outbound=HeaderLines(b"cookie: secret\r\n")
    )
    before = record_of(errand)
    ledger.close(errand)
    (kept,) = records.batch(1).errands
    assert (kept.parsed.fields, kept.parsed.raw, kept.outbound, kept.gaps) == ({}, b"", b"", [])
    assert record_of(kept) == before


async def test_requests_that_end_together_are_closed_together_and_soon() -> None:
    ledger, records, _ = _ledger()
    for _ in range(3):
        ledger.over(_errand())
    assert len(records) == 0
    await asyncio.sleep(0)
    assert len(records) == 3
    ledger.over(_errand())
    await asyncio.sleep(0)
    assert len(records) == 4


def test_each_figure_is_counted_once() -> None:
    ledger, _, registry = _ledger()
    errand = _errand()
    errand.plan = replace(PLAN, fallback="no_session_key")
    ledger.close(errand)
    text = generate_latest(registry).decode()
    for line in (
        'kvdeck_router_requests_total{code="2xx",model_name="m",path="dpd"} 1.0',
        'kvdeck_router_decisions_total{backend="decode-0",model_name="m",path="dpd",reason="home",strategy="session"} 1.0',
        'kvdeck_router_fallbacks_total{model_name="m",reason="no_session_key"} 1.0',
        'kvdeck_router_time_to_first_token_seconds_sum{model_name="m",path="dpd"} 1.5',
        'kvdeck_router_inter_token_latency_seconds_count{model_name="m",path="dpd"} 2.0',
        'kvdeck_router_request_phase_duration_seconds_sum{model_name="m",path="dpd",phase="decode_queue"} 0.25',
    ):
        assert line in text.splitlines()
