"""Every field of the document, by its own list: what it may not be is refused with the field, the value, and what it may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest

from stack.control.allowed import shown
from stack.control.decide import decide, decide_whole
from stack.control.refusal import RefusedError
from stack.control.settable import Settable, settable
from stack.control.state import ModelState
from stack.control.tiers import Tiers
from tests.stack.control.samples import FLEET, STRATEGIES, desired

FIELDS = settable()
UNKNOWN = {
    "strategy": ("fastest", "known: kv_aware, prefix_aware, round_robin, session"),
    "protocol": ("smoke", "known: "),
    "session_keys": (["query:session"], "expected header:NAME, cookie:NAME or body:FIELD"),
    "drained": (["decode-77"], "there are: "),
}

NAMED = [field for field in FIELDS if field.path.rpartition(".")[2] in UNKNOWN]


def patch(path: str, value: object) -> dict[str, object]:
    """A merge patch of one field; all but the tiers are a model's."""
    made: object = value
    for name in reversed(path.split(".")):
        made = {name: made}
    return made if path.startswith("tiers") else {"models": {"smollm2": made}}  # type: ignore[return-value]  # a path has a name


def wrong() -> Iterator[tuple[Settable, object]]:
    """Every field with values that it may not have: of a type, beyond either bound, one more than fit."""
    for field in FIELDS:
        yield field, [[]]
        yield field, "many" if "number" in field.allowed else 7
        if (bounds := re.search(r"from ([\d,]+) to ([\d,]+)", field.allowed)) is not None:
            least, most = (int(bound.replace(",", "")) for bound in bounds.groups())
            yield from ((field, least - 1), (field, most + 1))


def refusal(document: object, *, whole: bool = False) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        (decide_whole if whole else decide)(document, desired(), FLEET, STRATEGIES)
    return refused.value


def test_the_list_is_the_document_leaf_by_leaf() -> None:
    listed = {field.path for field in FIELDS}
    assert {"strategy", "pools.decode.replicas", "pools.prefill.bounds.max", "tiers.l2.store.maxmemory_bytes"} <= listed
    assert "pools.decode.parameters.session.load_factor" in listed
    assert len(listed) == len(FIELDS)
    defaults = {field.path: msgspec.json.decode(field.default) for field in FIELDS}
    assert (defaults["pools.prefill.replicas"], defaults["pools.decode.replicas"]) == (0, 1)
    assert [field.path for field in FIELDS if field.allowed in ("an object", "a text")] == []


@pytest.mark.parametrize(("field", "value"), list(wrong()), ids=lambda each: getattr(each, "path", None) or shown(each))
def test_a_wrong_value_is_refused_with_the_field_the_value_and_what_is_allowed(field: Settable, value: object) -> None:
    own = field.path if field.path.startswith("tiers.") else f"models.smollm2.{field.path}"
    error = refusal(patch(field.path, value))
    item = isinstance(value, list) and "a list" in field.allowed
    assert error.field == (f"{own}[0]" if item else own)
    assert error.message == f"{shown([] if item else value)} is not allowed: {_item(field.allowed) if item else field.allowed}"


def _item(allowed: str) -> str:
    return allowed.partition("each ")[2]


@pytest.mark.parametrize("field", NAMED, ids=lambda field: field.path)
def test_an_unknown_name_is_refused_with_those_there_are(field: Settable) -> None:
    value, known = UNKNOWN[field.path.rpartition(".")[2]]
    error = refusal(patch(field.path, value))
    assert error.field == f"models.smollm2.{field.path}"
    assert (value if isinstance(value, str) else value[0]) in error.message
    assert known in error.message


@pytest.mark.parametrize("field", [field for field in FIELDS if not field.path.endswith("NAME")], ids=lambda field: field.path)
def test_an_unknown_field_beside_it_is_refused_with_those_there_are(field: Settable) -> None:
    above, _, name = field.path.rpartition(".")
    error = refusal(patch(f"{above}.{name}_" if above else f"{name}_", None))
    assert error.field.endswith(f"{field.path}_")
    assert "unknown" in error.message
    assert name in error.message


OTHER_POOL = {
    "replicas": 2,
    "bounds": {"min": 1, "max": 9},
    "drain_seconds": 5.0,
    "strategy": "session",
    "protocol": "multi",
    "gpu_hour_price": 5.0,
    "gpus_per_engine": 5,
}
OTHER = {
    "strategy": "session",
    "fallback_strategy": "session",
    "session_keys": ["header:x-a"],
    "dpd": {"enabled": False, "routing_threshold": 5, "min_uncached_tokens": 5},
    "limits": {"in_flight": 5, "in_flight_per_engine": 5, "queue": 5, "queue_per_engine": 5, "queue_seconds": 5.0},
    "shadow_share": 0.5,
    "eject_stalled": True,
    "pools": {"prefill": OTHER_POOL, "decode": OTHER_POOL},
}


def _at(document: object, path: str) -> object:
    for name in path.split("."):
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _nulled(path: str) -> object:
    """What is desired at `path` after null was sent there; before, nothing in the model was a default."""
    before = decide(OTHER, desired(), FLEET, STRATEGIES).desired
    if path == "pools.prefill.replicas":  # its default is outside those bounds
        before = decide(patch("pools.prefill.bounds", None), before, FLEET, STRATEGIES).desired
    after = decide(patch(path, None), before, FLEET, STRATEGIES).desired
    document = msgspec.json.decode(msgspec.json.encode(after))
    return _at(document if path.startswith("tiers") else document["models"]["smollm2"], path)


@pytest.mark.parametrize("field", [field for field in FIELDS if ".parameters." not in field.path], ids=lambda field: field.path)
def test_null_brings_the_default_of_every_field_back(field: Settable) -> None:
    assert _nulled(field.path) == msgspec.json.decode(field.default)


@pytest.mark.parametrize(
    "path", ["dpd", "limits", "pools.decode", "pools.decode.bounds", "pools.prefill.parameters", "tiers", "tiers.l2"]
)
def test_null_brings_the_defaults_of_a_whole_object_back(path: str) -> None:
    defaults = msgspec.json.decode(msgspec.json.encode({"tiers": Tiers()} | msgspec.structs.asdict(ModelState())))
    assert _nulled(path) == _at(defaults, path)


def test_null_brings_a_strategys_parameter_back() -> None:
    set_ = decide(patch("pools.decode.parameters.session.load_factor", 3.0), desired(), FLEET, STRATEGIES).desired
    for path in ("pools.decode.parameters.session.load_factor", "pools.decode.parameters.session", "pools.decode.parameters"):
        assert decide(patch(path, None), set_, FLEET, STRATEGIES).desired == desired()


def test_of_an_object_keyed_by_names_the_wrong_one_is_named() -> None:
    error = refusal({"tiers": {"l2": {"quotas": {"a.b": 1, "c.d": "much", "e": 2}}}})
    assert (error.field, error.message.partition(" from ")[0]) == ("tiers.l2.quotas.c.d", '"much" is not allowed: a whole number')


def test_a_whole_document_is_refused_in_the_same_words() -> None:
    typo = {"models": {"smollm2": {"dpd": {"treshold": 1}}}}
    assert (refusal(typo, whole=True).field, refusal(typo, whole=True).message) == (
        "models.smollm2.dpd.treshold",
        "unknown field 'treshold'; allowed in models.smollm2.dpd: enabled, routing_threshold, min_uncached_tokens",
    )
    assert refusal(typo).message == refusal(typo, whole=True).message
    many = {"models": {"smollm2": {"pools": {"decode": {"replicas": "many"}}}}}
    assert refusal(many, whole=True).message == '"many" is not allowed: a whole number from 0 to 1,024'
