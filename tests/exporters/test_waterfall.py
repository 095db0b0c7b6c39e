"""The waterfall: every prompt token under one source, summing to the engine's own count."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporters.collector import EnginePrompt
from exporters.split import Hits
from exporters.waterfall import Waterfall
from stack.adapters.exposition import parse
from stack.engines.lmcache import TierHits
from stack.engines.vllm import WANTED, PromptTokens, read
from stack.model.tier import Source
from tests.exporters.recorded import exposition, target

COMPUTED, ENGINE, L1, L2, PEER, UNKNOWN = Source.COMPUTED, Source.ENGINE, Source.L1, Source.L2, Source.PEER, Source.UNKNOWN
ROOT = "/models/smollm2"


def prompt(
    total: float = 0,
    *,
    computed: float = 0,
    engine: float = 0,
    peer: float = 0,
    loaded: float = 0,
    replica: str = "decode-0",
    started: float = 1.0,
) -> EnginePrompt:
    """vLLM 0.32: `loaded` is what LMCache brought, a tier that vLLM does not name."""
    tokens = PromptTokens(total, {COMPUTED: computed, ENGINE: engine}, {L1: 0.0, L2: 0.0, PEER: peer}, loaded)
    return EnginePrompt(target(replica), tokens, started)


def hits(requested: float, l1: float, l2: float) -> Mapping[str, Mapping[str, TierHits]]:
    return {"lmcache": {ROOT: TierHits(requested, l1, l2)}}


def nonzero(totals: Mapping[Source, float]) -> dict[Source, float]:
    return {source: tokens for source, tokens in totals.items() if tokens}


class Deck:
    """A waterfall that is scraped every five seconds."""

    def __init__(self) -> None:
        self.waterfall = Waterfall()
        self.now = 0.0

    def scrape(
        self,
        *engines: EnginePrompt,
        servers: Mapping[str, Mapping[str, TierHits]] | None = None,
        listed: frozenset[str] = frozenset({"decode-0", "decode-1"}),
        after: float = 5.0,
    ) -> dict[str, dict[Source, float]]:
        self.now += after
        totals = self.waterfall.update(self.now, engines, servers or {}, listed.__contains__)
        return {name: nonzero(by_source) for name, by_source in totals.items()}

    def one(
        self, engine: EnginePrompt, servers: Mapping[str, Mapping[str, TierHits]] | None = None, after: float = 5.0
    ) -> dict[Source, float]:
        return self.scrape(engine, servers=servers, after=after)[engine.target.replica]


def fresh() -> Deck:
    """A deck that has seen the engine and LMCache idle."""
    deck = Deck()
    deck.one(prompt(), hits(0, 0, 0))
    return deck


@pytest.mark.parametrize(
    ("recording", "expected"),
    [
        ("vllm-0.32-plain", {COMPUTED: 5800}),
        ("vllm-0.32-nixl-prefill", {COMPUTED: 6806, ENGINE: 6400}),
        ("vllm-0.32-nixl-decode", {PEER: 6603}),
        ("vllm-0.32-nixl-lmcache-prefill", {COMPUTED: 10143, ENGINE: 4800}),
        ("vllm-0.32-nixl-lmcache-decode", {PEER: 4981}),
        ("vllm-0.32-native-tiering", {COMPUTED: 22432, ENGINE: 1984, L1: 1792, L2: 1792}),
    ],
)
def test_the_sources_of_a_recorded_engine_sum_to_its_prompt_tokens(recording: str, expected: dict[Source, float]) -> None:
    reading = read(parse(exposition(recording), WANTED))
    assert reading.prompt is not None
    totals = Deck().one(EnginePrompt(target("decode-0"), reading.prompt, reading.started))
    assert totals == expected
    assert sum(totals.values()) == reading.prompt.total


def test_a_load_from_lmcache_is_split_by_its_lookup_hits() -> None:
    deck = fresh()
    assert deck.one(prompt(2000, computed=208, loaded=1792), hits(1792, 1792, 0)) == {COMPUTED: 208, L1: 1792}
    assert deck.one(prompt(4000, computed=416, loaded=3584), hits(3584, 1792, 1792)) == {COMPUTED: 416, L1: 1792, L2: 1792}


def test_the_tail_of_a_hit_comes_from_l2_first() -> None:
    """The engine held 1,000 of a prompt of which L1 has 1,024 and L2 768 more: 24 come from L1."""
    totals = fresh().one(prompt(2000, computed=208, engine=1000, loaded=792), hits(1792, 1024, 768))
    assert totals == {COMPUTED: 208, ENGINE: 1000, L2: 768, L1: 24}


def test_a_load_beyond_all_hits_is_unknown() -> None:
    assert fresh().one(prompt(2000, loaded=2000), hits(1024, 1024, 0)) == {L1: 1024, UNKNOWN: 976}


def test_without_lmcache_a_load_is_unknown() -> None:
    deck = Deck()
    deck.one(prompt())
    assert deck.one(prompt(2000, computed=208, loaded=1792)) == {COMPUTED: 208, UNKNOWN: 1792}


def test_a_lookup_one_scrape_before_its_load_still_counts() -> None:
    deck = fresh()
    deck.one(prompt(), hits(1792, 0, 1792))
    assert deck.one(prompt(2000, computed=208, loaded=1792), hits(1792, 0, 1792)) == {COMPUTED: 208, L2: 1792}


def test_hits_that_the_engine_did_not_need_are_forgotten() -> None:
    """A prompt that the engine held was looked up in L2 as well; a minute later L1 serves another."""
    deck = fresh()
    deck.one(prompt(2000, engine=2000), hits(1792, 0, 1792))
    assert deck.one(prompt(2000, engine=2000), hits(1792, 0, 1792), after=60) == {ENGINE: 2000}
    assert deck.one(prompt(2500, engine=2000, loaded=500), hits(2304, 0, 1792)) == {ENGINE: 2000, UNKNOWN: 500}


def test_the_newest_hits_are_claimed_first() -> None:
    deck = fresh()
    deck.one(prompt(2000, engine=2000), hits(1792, 0, 1792))
    assert deck.one(prompt(3792, engine=2000, loaded=1792), hits(3584, 1792, 1792)) == {ENGINE: 2000, L1: 1792}


def test_a_token_keeps_the_tier_it_had_when_its_request_was_scheduled() -> None:
    """Scheduled in one interval, first output in the next but one: nothing is counted before, and then under its tier."""
    deck = fresh()
    assert deck.one(prompt(0, loaded=1792), hits(1792, 1792, 0)) == {}
    assert deck.one(prompt(0, loaded=1792), hits(1792, 1792, 0), after=30) == {}
    assert deck.one(prompt(2000, computed=208, loaded=1792), hits(1792, 1792, 0)) == {COMPUTED: 208, L1: 1792}


def test_a_transfer_that_failed_after_scheduling_is_computed() -> None:
    deck = fresh()
    assert deck.one(prompt(2000, computed=2000, peer=1999)) == {COMPUTED: 2000}


def test_two_engines_share_a_servers_hits_in_whole_tokens() -> None:
    deck = Deck()
    deck.scrape(prompt(), prompt(replica="decode-1"), servers=hits(0, 0, 0))
    totals = deck.scrape(prompt(100, loaded=100), prompt(201, loaded=201, replica="decode-1"), servers=hits(512, 101, 100))
    assert totals == {"decode-0": {L2: 33, L1: 34, UNKNOWN: 33}, "decode-1": {L2: 67, L1: 67, UNKNOWN: 67}}


def test_what_was_loaded_before_the_exporter_came_is_unknown() -> None:
    deck = Deck()
    assert deck.one(prompt(4000, computed=416, engine=1000, loaded=2584), hits(9000, 5000, 1000)) == {
        COMPUTED: 416,
        ENGINE: 1000,
        UNKNOWN: 2584,
    }


@pytest.mark.parametrize("started", [1.0, 2.0])
def test_totals_go_on_over_an_engines_restart(started: float) -> None:
    deck = fresh()
    deck.one(prompt(2000, computed=2000))
    totals = deck.one(prompt(300, computed=44, loaded=256, started=started), hits(256, 256, 0))
    assert totals == {COMPUTED: 2044, L1: 256}


def test_a_restart_is_seen_although_the_counter_is_higher_again() -> None:
    deck = fresh()
    deck.one(prompt(2000, computed=2000))
    assert deck.one(prompt(2500, computed=2500, started=2.0)) == {COMPUTED: 4500}


def test_a_restarted_lmcache_gives_its_new_hits() -> None:
    deck = fresh()
    deck.one(prompt(), hits(5000, 3000, 1000))
    assert deck.one(prompt(256, loaded=256), hits(256, 256, 0), after=60) == {L1: 256}


def test_the_first_lookup_of_a_server_that_was_idle_counts() -> None:
    deck = Deck()
    deck.one(prompt(), {"lmcache": {}})
    assert deck.one(prompt(256, loaded=256), hits(256, 256, 0)) == {L1: 256}


def test_what_was_loaded_while_lmcache_could_not_be_read_waits_for_its_tier() -> None:
    deck = fresh()
    assert deck.one(prompt(2000, computed=208, loaded=1792)) == {}
    assert deck.one(prompt(2000, computed=208, loaded=1792), hits(1792, 1792, 0)) == {COMPUTED: 208, L1: 1792}


def test_hits_from_while_lmcache_could_not_be_read_for_long_explain_no_later_load() -> None:
    deck = fresh()
    for _ in range(5):
        deck.one(prompt())
    assert deck.one(prompt(256, loaded=256), hits(5000, 0, 5000)) == {UNKNOWN: 256}
    assert deck.one(prompt(512, loaded=512), hits(5256, 256, 5000)) == {UNKNOWN: 256, L1: 256}


def test_a_server_that_names_ever_new_models_is_not_remembered_whole() -> None:
    split = Hits()
    for now in range(0, 100, 5):
        split.forget_stale(float(now), {"lmcache"})
        split.observe(float(now), "lmcache", {f"{now}-{number}": TierHits(256.0, 256.0, 0.0) for number in range(10)})
    assert len(split) == 40  # those of the last 16 seconds


def test_what_a_lost_lmcache_would_have_told_is_not_waited_for_long() -> None:
    deck = fresh()
    assert deck.one(prompt(2000, computed=208, loaded=1792), after=5) == {}
    assert deck.one(prompt(2000, computed=208, loaded=1792), after=12) == {COMPUTED: 208, UNKNOWN: 1792}


def test_who_loaded_nothing_does_not_wait_for_lmcache() -> None:
    deck = Deck()
    deck.scrape(prompt(), prompt(replica="decode-1"), servers=hits(0, 0, 0))
    totals = deck.scrape(prompt(100, loaded=100), prompt(300, computed=300, replica="decode-1"))
    assert totals == {"decode-0": {}, "decode-1": {COMPUTED: 300}}


def test_another_models_server_is_not_waited_for() -> None:
    deck = fresh()
    deck.one(prompt(), {**hits(0, 0, 0), "other": {"/models/other": TierHits(0, 0, 0)}})
    assert deck.one(prompt(256, loaded=256), hits(256, 256, 0)) == {L1: 256}


def test_another_models_hits_explain_nothing() -> None:
    deck = Deck()
    deck.one(prompt(), {"lmcache": {}})
    assert deck.one(prompt(256, loaded=256), {"lmcache": {"/models/other": TierHits(256, 256, 0)}}) == {UNKNOWN: 256}


def test_an_engine_that_cannot_be_read_is_absent_and_keeps_its_totals() -> None:
    deck = fresh()
    deck.one(prompt(2000, computed=2000))
    assert deck.scrape() == {}
    assert deck.one(prompt(2100, computed=2100)) == {COMPUTED: 2100}


def test_an_engine_that_left_is_forgotten() -> None:
    deck = fresh()
    deck.one(prompt(2000, computed=2000))
    deck.scrape(listed=frozenset())
    assert deck.one(prompt(50, computed=50)) == {COMPUTED: 50}


def test_a_second_scraper_changes_nothing() -> None:
    deck = fresh()
    for _ in range(3):
        totals = deck.one(prompt(2000, computed=208, loaded=1792), hits(1792, 1792, 0), after=0.1)
    assert totals == {COMPUTED: 208, L1: 1792}


def test_an_older_engine_that_only_counts_hits_has_computed_the_rest() -> None:
    deck = Deck()
    old = PromptTokens(5000.0, {}, {ENGINE: 1200.0}, 800.0, rest=COMPUTED)
    assert deck.one(EnginePrompt(target("decode-0"), old, None)) == {ENGINE: 1200, UNKNOWN: 800, COMPUTED: 3000}


def test_a_source_that_is_told_only_later_brings_no_history() -> None:
    """A version that is not known at first: what hits are counted in is not known either."""
    deck = Deck()
    deck.one(EnginePrompt(target("decode-0"), PromptTokens(1000.0), 1.0))
    later = [PromptTokens(total, {}, {ENGINE: hit}, 0.0, COMPUTED) for total, hit in ((1100.0, 680.0), (1200.0, 740.0))]
    assert deck.one(EnginePrompt(target("decode-0"), later[0], 1.0)) == {UNKNOWN: 1100}
    assert deck.one(EnginePrompt(target("decode-0"), later[1], 1.0)) == {UNKNOWN: 1100, ENGINE: 60, COMPUTED: 40}


def test_an_engine_that_counts_no_source_is_unknown() -> None:
    assert Deck().one(EnginePrompt(target("decode-0"), PromptTokens(5000.0), None)) == {UNKNOWN: 5000}


_GAIN = st.integers(0, 3000)
_STEP = st.tuples(_GAIN, _GAIN, _GAIN, _GAIN, _GAIN, _GAIN, st.booleans())


@given(st.lists(st.tuples(_STEP, _STEP), max_size=20))
def test_whatever_happens_the_sources_sum_to_the_prompt_tokens(history: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    """Engines restart, schedule what they never count, and LMCache's hits have nothing to do with the loads."""
    deck = Deck()
    counters = {"decode-0": [0.0] * 6, "decode-1": [0.0] * 6}
    starts, expected = dict.fromkeys(counters, 1.0), dict.fromkeys(counters, 0.0)
    for steps in history:
        engines = []
        for name, (computed, engine, counted, peer, loaded, _, restart) in zip(counters, steps, strict=True):
            if restart:
                counters[name], starts[name] = [0.0] * 6, starts[name] + 1
            gain = [computed + engine + counted, computed, engine, peer, loaded, 0]
            counters[name] = [before + more for before, more in zip(counters[name], gain, strict=True)]
            expected[name] += gain[0]
            total, all_computed, all_engine, all_peer, all_loaded, _ = counters[name]
            engines.append(
                prompt(
                    total,
                    computed=all_computed,
                    engine=all_engine,
                    peer=all_peer,
                    loaded=all_loaded,
                    replica=name,
                    started=starts[name],
                )
            )
        hit = float(sum(step[5] for step in steps))
        totals = deck.scrape(*engines, servers=hits(2 * hit, hit, hit))
        assert {name: sum(by_source.values()) for name, by_source in totals.items()} == expected
        assert all(tokens >= 0 for by_source in totals.values() for tokens in by_source.values())
