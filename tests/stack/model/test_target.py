"""The fleet's target file, in Prometheus' file_sd format."""

import json

import msgspec
import pytest

from stack.model.target import Target, TargetFileError, decode, encode
from stack.model.tier import Pool

DECODE = Target(
    replica="decode-0",
    url="http://127.0.0.1:8101",
    pool=Pool.DECODE,
    model="smollm2",
    model_root="/models/smollm2",
    kv_events="ipc:///run/decode-0.kv",
    replay="ipc:///run/decode-0.replay",
)
PREFILL = Target(
    replica="prefill-0", url="http://127.0.0.1:8100", pool=Pool.PREFILL, model="smollm2", model_root="m", emulated=True
)


def test_what_was_written_is_read_back() -> None:
    assert decode(encode([PREFILL, DECODE])) == [DECODE, PREFILL]


def test_prometheus_reads_it_as_file_sd() -> None:
    assert json.loads(encode([DECODE])) == [
        {
            "targets": ["127.0.0.1:8101"],
            "labels": {
                "replica": "decode-0",
                "pool": "decode",
                "model": "smollm2",
                "model_root": "/models/smollm2",
                "emulated": "false",
                "kv_events": "ipc:///run/decode-0.kv",
                "replay": "ipc:///run/decode-0.replay",
            },
        }
    ]


@pytest.mark.parametrize("change", [{"leaving": True}, {"ready": False}])
def test_an_engine_that_leaves_or_is_out_of_service_keeps_its_series(change: dict[str, bool]) -> None:
    leaving = msgspec.structs.replace(DECODE, **change)
    assert decode(encode([leaving])) == [leaving]
    added = json.loads(encode([leaving]))[0]["labels"].keys() - json.loads(encode([DECODE]))[0]["labels"].keys()
    assert all(label.startswith("__") for label in added)
    assert added


def test_the_ranks_that_publish_events_are_read_back() -> None:
    target = msgspec.structs.replace(DECODE, kv_events="tcp://10.0.0.1:5557", replay="tcp://10.0.0.1:5657", kv_event_ranks=8)
    assert decode(encode([target])) == [target]
    assert json.loads(encode([target]))[0]["labels"]["kv_event_ranks"] == "8"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"kv_event_ranks": "0"}, "kv_event_ranks 0 is not from 1 to 1024"),
        ({"kv_event_ranks": "two"}, "invalid literal"),
        ({"kv_event_ranks": "2", "kv_events": "ipc:///run/x"}, "kv_event_ranks needs tcp:// endpoints"),
        ({"kv_event_ranks": "2", "kv_topic": "kv@x"}, "kv_topic is for an engine of one rank"),
        ({"kv_events": "tcp://x:1", "kv_topic": "kv@x"}, "not for one with kv_events"),
    ],
)
def test_ranks_that_cannot_be_told_apart_are_refused(labels: dict[str, str], message: str) -> None:
    group = {"targets": ["a:1"], "labels": {"replica": "x", "pool": "decode", "model": "m", **labels}}
    with pytest.raises(TargetFileError, match=message):
        decode(json.dumps([group]).encode())


def test_an_engine_that_connects_is_known_by_its_topic() -> None:
    target = msgspec.structs.replace(DECODE, kv_events=None, kv_topic="kv@decode-0")
    assert decode(encode([target])) == [target]
    assert [one.publishes for one in (target, DECODE, PREFILL)] == [True, True, False]


def test_where_its_metrics_are_is_told_as_prometheus_goes_by_it() -> None:
    target = msgspec.structs.replace(DECODE, url="https://127.0.0.1:8101", metrics_path="/vllm/metrics")
    assert decode(encode([target])) == [target]
    labels = json.loads(encode([target]))[0]["labels"]
    assert (labels["__scheme__"], labels["__metrics_path__"]) == ("https", "/vllm/metrics")


def test_where_it_runs_is_read_back_and_unknown_where_nobody_says() -> None:
    target = msgspec.structs.replace(DECODE, namespace="llm", cluster="west")
    assert decode(encode([target])) == [target]
    assert [(one.namespace, one.cluster) for one in decode(encode([DECODE]))] == [(None, None)]


def test_an_empty_fleet_is_an_empty_list() -> None:
    assert decode(encode([])) == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (b"[", "target file: Input data was truncated"),
        (b'[{"targets": ["a:1"], "labels": {"replica": "x"}}]', "target a:1: label 'pool' is missing"),
        (b'[{"targets": ["a:1"], "labels": {"replica": "x", "pool": "p", "model": "m"}}]', "target a:1: 'p' is not a valid Pool"),
    ],
)
def test_a_faulty_file_names_the_fault(document: bytes, message: str) -> None:
    with pytest.raises(TargetFileError, match=message):
        decode(document)
