"""Hand-overs that come to nothing in a row are not asked for, for a while."""

from __future__ import annotations

from pathlib import Path

from stack.fleet.engine import Engine, Health
from stack.fleet.snapshot import Fleet, Member
from stack.model.target import Target
from stack.model.tier import Pool
from stack.router.settings import RouterSettings
from stack.router.trust import Trust
from tests.stack.router.bench import LONG, fleet
from tests.stack.router.emulated import Emulated, Gate, emulated, home
from tests.stack.router.fakes import Exchange, FakeEngine, completion


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _trust(clock: Clock) -> Trust:
    return Trust(RouterSettings(eject_after=3, eject_s=10.0, eject_max_s=30.0), clock)


def test_three_failures_in_a_row_end_it_and_one_success_brings_it_back() -> None:
    trust = _trust(Clock())
    for _ in range(2):
        trust.failed("p")
    trust.worked("p")
    for _ in range(2):
        trust.failed("p")
    assert trust.ask("p")
    trust.failed("p")
    assert (trust.ask("p"), trust.ask("other")) == (False, True)


def test_each_failed_trial_doubles_the_pause_and_there_is_one_at_a_time() -> None:
    clock = Clock()
    trust = _trust(clock)
    for _ in range(3):
        trust.failed("p")
    pauses = []
    for _ in range(4):
        began = clock.now
        while not trust.ask("p"):
            clock.now += 1.0
        pauses.append(clock.now - began)
        assert not trust.ask("p")
        trust.failed("p")
    assert pauses == [10.0, 20.0, 30.0, 30.0]


def test_a_trial_that_is_never_heard_of_again_is_followed_by_another() -> None:
    clock = Clock()
    trust = _trust(clock)
    for _ in range(3):
        trust.failed("p")
    clock.now += 10.0
    assert (trust.ask("p"), trust.ask("p")) == (True, False)
    clock.now += 10.0
    assert trust.ask("p")


def test_an_engine_that_was_gone_starts_anew() -> None:
    target = Target(replica="p", url="http://p", pool=Pool.PREFILL, model="m", model_root="/m")
    trust = _trust(Clock())
    for _ in range(3):
        trust.failed("p")
    well, ill = (Fleet.of([Member(Engine(target, health=health))]) for health in (Health.READY, Health.NOT_READY))
    trust.fleet_changed(well, ill)
    assert not trust.ask("p")
    trust.fleet_changed(ill, well)
    assert trust.ask("p")


async def test_transfers_that_are_lost_over_and_over_end_disaggregation_for_a_while_and_no_request_fails(tmp_path: Path) -> None:
    """The decode engine is cut off from its peers, whose health and answers are well."""
    engines = home(0.001)
    prefill = Emulated(engines, "prefill-0", Pool.PREFILL)
    decode = Emulated(engines, "decode-0", gate=Gate(cut_off=True))
    async with emulated(tmp_path, engines, prefill, decode, eject_s=60.0, eject_max_s=60.0) as bench:
        answers = [await bench.chat(f"{number} {LONG}", max_tokens=1) for number in range(6)]
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
    assert [answer.status_code for answer in answers] == [200] * 6
    assert [answer.headers["x-kvdeck-fallback"] for answer in answers] == ["transfer_lost"] * 3 + ["handover_suspended"] * 3
    assert fallbacks == {
        '{model_name="smollm2",reason="transfer_lost"}': 3.0,
        '{model_name="smollm2",reason="handover_suspended"}': 3.0,
    }


async def test_decode_engines_that_choke_on_every_hand_over_serve_all_the_same(tmp_path: Path) -> None:
    async def choke(engine: FakeEngine, exchange: Exchange) -> None:
        if "kv_transfer_params" in exchange.seen.body:
            await exchange.json(500, {"error": {"message": "no KV", "code": 500}})
        else:
            await exchange.json(200, completion(exchange.seen.body))

    prefill, decode = FakeEngine("prefill-0", Pool.PREFILL), FakeEngine("decode-0", behave=choke)
    async with fleet(tmp_path, prefill, decode, eject_s=60.0, retries_saved=3.0) as bench:
        answers = [await bench.chat(LONG) for _ in range(20)]
    assert [answer.status_code for answer in answers] == [200] * 20
    assert len(prefill.seen) == 3


async def test_a_client_s_own_mistakes_cost_nobody_s_trust(tmp_path: Path) -> None:
    async def refuse(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(400, {"error": {"message": "no", "code": 400}})

    prefill, decode = FakeEngine("prefill-0", Pool.PREFILL, behave=refuse), FakeEngine("decode-0", behave=refuse)
    async with fleet(tmp_path, prefill, decode) as bench:
        for _ in range(5):
            await bench.chat(LONG)
    assert len(prefill.seen) == 5
