"""A body that killed two engines is kept from the others; who stood beside it is not."""

from pathlib import Path

from stack.model.tier import Pool
from stack.router.openai import CHAT, ParsedBody
from stack.router.poison import Poison
from tests.stack.router.bench import LONG, fleet
from tests.stack.router.fakes import Exchange, FakeEngine


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def _body(text: str, path: str = CHAT) -> ParsedBody:
    return ParsedBody(path, "m", {"model": "m", "messages": [{"role": "user", "content": text}]})


BAD = _body("bad")


def test_the_second_engine_that_dies_of_a_body_has_it_refused_for_ten_minutes() -> None:
    clock = Clock()
    poison = Poison(clock)
    poison.died(BAD, "a")
    assert poison.refused_for(BAD) is None
    clock.now += 100.0
    poison.died(BAD, "b")
    assert (poison.refused_for(BAD), poison.refused_for(_body("good")), poison.refused_for(_body("bad", "/v1/x"))) == (
        600,
        None,
        None,
    )
    clock.now += 599.0
    assert poison.refused_for(BAD) == 1.0
    clock.now += 1.0
    assert poison.refused_for(BAD) is None


def test_one_engine_that_breaks_off_twice_is_one_engine() -> None:
    poison = Poison(Clock())
    poison.died(BAD, "a")
    poison.died(BAD, "a")
    assert poison.refused_for(BAD) is None


def test_deaths_ten_minutes_apart_have_nothing_to_do_with_each_other() -> None:
    clock = Clock()
    poison = Poison(clock)
    poison.died(BAD, "a")
    clock.now += 600.0
    assert poison.refused_for(BAD) is None
    poison.died(BAD, "b")
    assert poison.refused_for(BAD) is None


def test_an_answer_clears_a_bystander() -> None:
    poison = Poison(Clock())
    poison.died(BAD, "a")
    poison.answered(BAD)
    poison.died(BAD, "b")
    assert poison.refused_for(BAD) is None


def test_the_table_is_bounded_and_forgets_what_died_longest_ago() -> None:
    poison = Poison(Clock(), kept=2)
    bodies = [_body(text) for text in "xyz"]
    for engine in "ab":
        for body in bodies[:2]:
            poison.died(body, engine)
    poison.died(bodies[0], "a")
    poison.died(bodies[2], "a")
    assert [poison.refused_for(body) is not None for body in bodies] == [True, False, False]


async def _dies_of_it(engine: FakeEngine, exchange: Exchange) -> None:
    exchange.die()


async def test_a_client_is_told_what_its_request_does(tmp_path: Path) -> None:
    engines = FakeEngine("decode-0", behave=_dies_of_it), FakeEngine("decode-1", behave=_dies_of_it)
    async with fleet(tmp_path, *engines) as bench:
        first = await bench.chat("bad")
        seen = [len(engine.seen) for engine in engines]
        again = await bench.chat("bad")
        assert [len(engine.seen) for engine in engines] == seen
        streamed = await bench.chat("bad", stream=True)
        fallbacks = await bench.metric("kvdeck_router_fallbacks_total")
        requests = await bench.metric("kvdeck_router_requests_total")
    assert (first.status_code, again.status_code, streamed.status_code) == (502, 422, 502)
    error = again.json()["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "poisonous_request")
    assert 595 <= int(again.headers["retry-after"]) <= 600
    assert fallbacks['{model_name="smollm2",reason="poisonous_request"}'] == 1.0
    assert requests['{code="4xx",model_name="smollm2",path="none"}'] == 1.0


async def test_a_body_that_killed_both_legs_is_not_tried_on_a_third_engine(tmp_path: Path) -> None:
    engines = [FakeEngine("prefill-0", Pool.PREFILL), *(FakeEngine(f"decode-{number}") for number in range(3))]
    for engine in engines:
        engine.behave = _dies_of_it
    async with fleet(tmp_path, *engines) as bench:
        first, again = await bench.chat(LONG), await bench.chat(LONG)
    assert (first.status_code, again.status_code) == (502, 422)
    assert sum(bool(engine.seen) for engine in engines) == 2


async def test_engines_that_answer_badly_or_not_at_all_were_not_killed(tmp_path: Path) -> None:
    async def fails(engine: FakeEngine, exchange: Exchange) -> None:
        await exchange.json(500, {"error": {"message": "no", "code": 500}})

    engines = FakeEngine("decode-0", behave=fails), FakeEngine("decode-1", behave=fails)
    async with fleet(tmp_path, *engines, probe_interval_s=60.0) as bench:
        answered = [(await bench.chat()).status_code for _ in range(2)]
        for engine in engines:
            await engine.stop()
        refused = [(await bench.chat()).status_code for _ in range(2)]
    assert (answered, set(refused) & {422}) == ([500, 500], set())
