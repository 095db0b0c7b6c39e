from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from stack.emulator.exposition import Sheet
from stack.emulator.gauges import Exposition, cache_config
from stack.engines import vllm_names as names
from stack.engines.vllm_names import VllmFamily
from stack.metrics.family import Kind
from tests.stack.emulator.rig import PROFILE, Rig, prompt

RECORDED = Path(__file__).parents[2] / "data" / "expositions"
OURS = {family.name: family for family in (*names.CORE, *names.NIXL, *names.OFFLOAD)}


def described(file: str) -> dict[str, tuple[str, str]]:
    """Name to (type, help) of a recording's families, without the `_created` ones."""
    lines = (RECORDED / file).read_text().splitlines()
    helps = {line.split(" ", 3)[2]: line.split(" ", 3)[3] for line in lines if line.startswith("# HELP vllm:")}
    types = {line.split(" ", 3)[2]: line.split(" ", 3)[3] for line in lines if line.startswith("# TYPE vllm:")}
    return {name: (types[name], helps[name]) for name in types if not name.endswith("_created")}


THEIRS = described("vllm-0.32-native-tiering.txt") | described("vllm-0.32-nixl-decode.txt")


def test_no_name_type_or_help_is_invented() -> None:
    ours = {name: (family.kind.value, family.help) for name, family in OURS.items()}
    assert ours == {name: THEIRS[name] for name in ours}


def test_buckets_and_labels_are_the_recorded_ones() -> None:
    text = (RECORDED / "vllm-0.32-native-tiering.txt").read_text() + (RECORDED / "vllm-0.32-nixl-decode.txt").read_text()
    for name, family in OURS.items():
        lines = [line for line in text.splitlines() if line.startswith(f"{name}_bucket{{" if family.buckets else f"{name}{{")]
        assert all(f'{label}="' in line for line in lines for label in family.labels), name
        if family.buckets:
            bounds = {line.split('le="')[1].split('"')[0] for line in lines} - {"+Inf"}
            assert {float(bound) for bound in bounds} == set(family.buckets), name


def test_what_an_engine_exposes_is_read_back_by_prometheus_own_parser() -> None:
    rig = Rig()
    rig.ask(prompt(1, 200), answer_tokens=3)
    rig.telemetry.sheet.info(names.CACHE_CONFIG_INFO, cache_config(PROFILE))
    exposition = Exposition(rig.telemetry.sheet, rig.scheduler, rig.loads, rig.loads._memory, 12.5)
    families = {family.name: family for family in text_string_to_metric_families(exposition.text())}
    samples = {sample.name: sample for family in families.values() for sample in family.samples if len(sample.labels) <= 2}
    assert samples["process_start_time_seconds"].value == 12.5
    assert samples["vllm:prompt_tokens_total"].value == 200
    assert samples["vllm:prompt_tokens_total"].labels == {"engine": "0", "model_name": "m"}
    assert samples["vllm:generation_tokens_total"].value == 3
    assert samples["vllm:num_requests_running"].value == 0
    assert families["vllm:iteration_tokens_total"].type == "histogram"
    (info,) = families["vllm:cache_config_info"].samples
    assert (info.labels["num_gpu_blocks"], info.labels["block_size"], info.value) == ("17", "64", 1.0)


def test_a_histogram_is_written_whole() -> None:
    family = VllmFamily("vllm:x", Kind.HISTOGRAM, "Help.", ("tier",), (1.0, 2.5))
    sheet = Sheet([family], {"engine": "0"}, 4096)
    for value in (0.5, 1.0, 2.0, 9.0):
        sheet.observe(family, value, 'a"b')
    assert list(sheet.render()) == [
        "# HELP vllm:x Help.",
        "# TYPE vllm:x histogram",
        'vllm:x_bucket{engine="0",tier="a\\"b",le="1.0"} 2.0',
        'vllm:x_bucket{engine="0",tier="a\\"b",le="2.5"} 3.0',
        'vllm:x_bucket{engine="0",tier="a\\"b",le="+Inf"} 4.0',
        'vllm:x_count{engine="0",tier="a\\"b"} 4.0',
        'vllm:x_sum{engine="0",tier="a\\"b"} 12.5',
    ]


def test_a_series_with_labels_exists_once_it_was_touched() -> None:
    plain, labelled = VllmFamily("vllm:a", Kind.COUNTER, "A."), VllmFamily("vllm:b", Kind.COUNTER, "B.", ("tier",))
    sheet = Sheet([plain, labelled], {"engine": "0"}, 4096)
    assert [line for line in sheet.render() if not line.startswith("#")] == ['vllm:a{engine="0"} 0.0']


@pytest.mark.parametrize(("limit", "last"), [(4096, 2000), (131_072, 100_000)])
def test_token_buckets_follow_the_context_length(limit: int, last: int) -> None:
    assert names.sizes(limit)[-1] == last
    assert names.sizes(limit)[:4] == (1, 2, 5, 10)
