from dataclasses import replace

import pytest

from stack.emulator.events import Medium
from stack.emulator.sequence import Origin, Sequence
from stack.emulator.tiers import Tiers
from stack.emulator.transfer import Fabric, Produce, Pull, Stuck
from tests.stack.emulator.rig import PROFILE, Rig, prompt, tiers

# The engine holds one prompt of 650 tokens, L1 two, L2 six.
ONE_PROMPT = replace(PROFILE, engine_blocks=12)


def pull(source: Rig, sequence: Sequence, engine_id: str = "prefill") -> Pull:
    return Pull(engine_id, sequence.request_id, "127.0.0.1", 1, [[1]])


@pytest.fixture
def pair() -> tuple[Rig, Rig]:
    """A prefill and a decode engine that reach each other, each with a node and a store of its own."""
    fabric = Fabric()
    return Rig(fabric=fabric, engine_id="prefill"), Rig(fabric=fabric, engine_id="decode")


def test_a_cold_prompt_is_computed_in_chunks() -> None:
    rig = Rig()
    asked = rig.ask(prompt(1, 1000))
    assert asked.origin == Origin(computed=1000)
    assert asked.times.first_token == pytest.approx(2 * 1.0 + 1000 / 100)  # 512 + 488 tokens, two steps


def test_a_prompt_asked_again_comes_from_the_engine_but_for_its_last_tokens() -> None:
    rig = Rig()
    rig.ask(prompt(1, 640))
    began = rig.now
    again = rig.ask(prompt(1, 640))
    assert again.origin == Origin(device=576, computed=64)  # never all of it: the last token's logits are needed
    assert rig.now - began == pytest.approx(1.0 + 64 / 100)


def test_after_other_prompts_it_comes_from_l1_and_then_from_l2() -> None:
    rig = Rig(ONE_PROMPT)
    first = prompt(1, 650)
    rig.ask(first)
    rig.ask(prompt(2, 650))
    assert rig.ask(first).origin == Origin(host=640, computed=10)
    for name in (3, 4, 5):
        rig.ask(prompt(name, 650))
    assert rig.ask(first).origin == Origin(disk=640, computed=10)
    assert rig.value('vllm:prompt_tokens_cached_by_source_total{source="host"}') == 640
    assert rig.value('vllm:prompt_tokens_cached_by_source_total{source="disk"}') == 640


def test_what_comes_from_l2_is_in_l1_afterwards() -> None:
    rig = Rig(ONE_PROMPT)
    for name in (1, 2, 3, 4):
        rig.ask(prompt(name, 650))
    assert rig.ask(prompt(1, 650)).origin.disk == 640
    rig.ask(prompt(5, 650))
    assert rig.ask(prompt(1, 650)).origin.host == 640


def test_a_load_takes_the_tiers_time_and_counts_as_waiting() -> None:
    rig = Rig(ONE_PROMPT)
    rig.ask(prompt(1, 650))
    rig.ask(prompt(2, 650))
    began = rig.now
    again = rig.ask(prompt(1, 650))
    assert again.times.scheduled is not None
    assert again.times.scheduled - began == pytest.approx(640 / 1000)


def test_two_engines_of_a_node_share_l1_and_all_share_l2() -> None:
    shared = tiers()
    writer, neighbour = Rig(reach=shared), Rig(reach=shared)
    elsewhere = Rig(reach=Tiers(tiers().l1, shared.l2))
    writer.ask(prompt(1, 650))
    assert neighbour.ask(prompt(1, 650)).origin.host == 640
    assert elsewhere.ask(prompt(1, 650)).origin.disk == 640


def test_sources_sum_to_prompt_tokens() -> None:
    rig = Rig()
    for name in (1, 1, 2, 1, 3, 4, 5, 1, 2):
        rig.ask(prompt(name, 650))
    sources = ("local_compute", "local_cache_hit", "external_kv_transfer")
    by_source = [rig.value(f'vllm:prompt_tokens_by_source_total{{source="{source}"}}') for source in sources]
    assert sum(by_source) == rig.value("vllm:prompt_tokens_total") == 9 * 650
    cached = [
        rig.value(f'vllm:prompt_tokens_cached_by_source_total{{source="{source}"}}') for source in ("device", "host", "p2p", "disk")
    ]
    assert sum(cached) == by_source[1] + by_source[2] == rig.value("vllm:prompt_tokens_cached_total")


def test_blocks_of_running_requests_are_not_evicted() -> None:
    rig = Rig()
    long = rig.add(prompt(1, 640), answer_tokens=3)
    other = rig.add(prompt(2, 640))
    rig.run(long, other)
    assert other.times.scheduled is not None
    assert long.times.last_token is not None
    assert other.times.scheduled >= long.times.last_token  # sixteen blocks hold one of them
    assert rig.pool.used_ratio == 0.0


def test_decoding_requests_share_a_step() -> None:
    rig = Rig()
    both = [rig.add(prompt(name, 64), answer_tokens=3) for name in (1, 2)]
    rig.run(*both)
    gap = 1.0 + 2 * 0.5
    assert rig.now == pytest.approx(1.0 + 128 / 100 + 2 * gap)
    assert rig.value("vllm:inter_token_latency_seconds_count") == 4
    assert rig.value("vllm:inter_token_latency_seconds_sum") == pytest.approx(4 * gap)


def test_the_youngest_request_is_preempted_when_blocks_run_out() -> None:
    rig = Rig()
    old, young = rig.add(prompt(1, 512), answer_tokens=70), rig.add(prompt(2, 448), answer_tokens=70)
    rig.run(old, young)
    assert (old.preemptions, young.preemptions) == (0, 1)
    assert rig.value("vllm:num_preemptions_total") == 1
    assert young.generated == 70
    assert rig.value("vllm:prompt_tokens_total") == 512 + 448  # the recomputed tokens are nobody's prompt


def test_an_aborted_request_gives_its_blocks_back() -> None:
    rig = Rig()
    asked = rig.add(prompt(1, 640), answer_tokens=100)
    rig.turn()
    rig.scheduler.abort(asked)
    assert rig.pool.used_ratio == 0.0
    assert rig.value('vllm:request_success_total{finished_reason="abort"}') == 1
    assert rig.scheduler.plan(rig.now) is None


def test_a_request_aborted_during_a_step_says_nothing_more() -> None:
    rig = Rig()
    asked = rig.add(prompt(1, 64), answer_tokens=5)
    step = rig.scheduler.plan(rig.now)
    assert step is not None
    rig.scheduler.abort(asked)
    assert rig.scheduler.complete(step, rig.now + step.seconds) == []


def test_a_decode_engine_pulls_the_tail_it_lacks(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    tokens = prompt(1, 700)
    decode.ask(tokens[:320])
    computed = prefill.ask(tokens, intent=Produce())
    decoded = decode.ask(tokens, 4, pull(prefill, computed))
    assert computed.origin == Origin(computed=700)
    assert decoded.origin == Origin(device=320, peer=380)
    assert decode.value("vllm:nixl_bytes_transferred_sum") == 380 * 1000
    assert decode.value("vllm:nixl_xfer_time_seconds_sum") == pytest.approx(380 * 1000 / 1e7)


def test_the_text_is_the_same_directly_and_after_a_transfer(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 700), intent=Produce())
    moved = decode.run(decode.add(prompt(1, 700), 20, pull(prefill, computed)))
    assert moved == prefill.run(prefill.add(prompt(1, 700), 20))
    assert moved.startswith("[emulated]")


def test_blocks_are_kept_until_they_are_pulled(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 640), intent=Produce())
    assert prefill.pool.used_ratio == 10 / 16
    decode.ask(prompt(1, 640), intent=pull(prefill, computed))
    assert prefill.pool.used_ratio == 0.0


def test_a_lease_ends_after_thirty_seconds_and_then_the_text_is_wrong(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 640), intent=Produce())
    assert prefill.scheduler.next_event() == pytest.approx(prefill.now + 30)
    prefill.turn()  # to the lease's end
    assert prefill.scheduler.plan(prefill.now) is None
    assert prefill.pool.used_ratio == 0.0
    text = decode.run(decode.add(prompt(1, 640), 20, pull(prefill, computed)))
    assert text != prefill.run(prefill.add(prompt(1, 640), 20))
    assert prefill.value("vllm:nixl_num_kv_expired_reqs_total") == 1
    assert prefill.value("vllm:nixl_num_notifications_after_expiry_total") == 1


def test_parameters_used_twice_give_wrong_text(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 640), intent=Produce())
    params = pull(prefill, computed)
    right = decode.run(decode.add(prompt(1, 640), 20, params))
    assert decode.run(decode.add(prompt(1, 640), 20, params)) != right
    assert prefill.value("vllm:nixl_num_notifications_after_expiry_total") == 1


def test_an_unreachable_prefill_engine_means_computing_here_after_a_while(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 640), intent=Produce())
    prefill.fabric.leave("prefill")
    asked = decode.ask(prompt(1, 640), 20, pull(prefill, computed))
    assert asked.origin == Origin(computed=640)
    assert asked.times.scheduled == pytest.approx(PROFILE.unreachable_seconds)
    assert decode.value("vllm:nixl_num_failed_transfers_total") == 1


def test_what_a_peer_sent_is_cached_but_not_offloaded(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 650), intent=Produce())
    decode.ask(prompt(1, 650), intent=pull(prefill, computed))
    assert decode.told() == {Medium.GPU: (10, 0), Medium.CPU: (0, 0), Medium.STORAGE: (0, 0)}
    assert len(decode.reach.l1) == len(decode.reach.l2) == 0
    assert decode.ask(prompt(1, 650)).origin.device == 640


def test_an_aborted_pull_frees_the_holders_blocks(pair: tuple[Rig, Rig]) -> None:
    prefill, decode = pair
    computed = prefill.ask(prompt(1, 640), intent=Produce())
    asked = decode.add(prompt(1, 640), 20, pull(prefill, computed))
    decode.scheduler.abort(asked)
    assert prefill.pool.used_ratio == 0.0


def test_incomplete_parameters_hang_until_the_client_leaves() -> None:
    rig = Rig()
    stuck = rig.add(prompt(1, 64), intent=Stuck())
    assert rig.scheduler.plan(0.0) is None
    assert rig.scheduler.next_event() is None
    rig.scheduler.abort(stuck)
    assert rig.pool.used_ratio == 0.0


def test_every_tier_tells_what_it_stores_and_loses() -> None:
    profile = replace(ONE_PROMPT, l2_blocks=20)
    rig = Rig(profile, tiers(profile))
    rig.ask(prompt(1, 650))
    assert rig.told() == {Medium.GPU: (10, 0), Medium.CPU: (10, 0), Medium.STORAGE: (10, 0)}
    rig.ask(prompt(2, 650))
    assert rig.told() == {Medium.GPU: (10, 10), Medium.CPU: (10, 0), Medium.STORAGE: (10, 0)}
    rig.ask(prompt(3, 650))
    assert rig.told() == {Medium.GPU: (10, 10), Medium.CPU: (10, 10), Medium.STORAGE: (10, 10)}
