"""Whatever an LMCache answers, its series keep to closed sets of labels, or it is refused."""

from hypothesis import given
from hypothesis import strategies as st

from exporters import lmcache_models, lmcache_points
from stack.adapters.exposition import ExpositionError, parse
from stack.engines.lmcache import WANTED, read
from stack.metrics.family import Label
from tests.exporters.test_hostile import QUOTED, VALUES

_LABELS = st.sampled_from(["model_name", "le", "reason", "during", "direction", "phase", "tier", "l2_name", "state", "x"])
_CLOSED = {
    Label.TIER: {"l1", "l2", "lmcache", "other", "unspecified"},
    Label.DIRECTION: {"load", "store", "other", "unspecified"},
    Label.ADAPTER: {"an-adapter"},
    Label.MODEL_NAME: {"a-model"},
}


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A line under a name that is read."""
    labels = ",".join(f'{draw(_LABELS)}="{draw(QUOTED)}"' for _ in range(draw(st.integers(0, 3))))
    return f"{draw(st.sampled_from(sorted(WANTED)))}{{{labels}}} {draw(VALUES)}"


def is_readable(line: str) -> bool:
    try:
        parse(f"{line}\n".encode(), WANTED)
    except ExpositionError:
        return False
    return True


@given(st.lists(lines(), max_size=30))
def test_no_label_of_a_hostile_lmcache_becomes_ours(hostile: list[str]) -> None:
    readable = [line for line in hostile if is_readable(line)]
    reading, own = read(parse("\n".join([*readable, ""]).encode(), WANTED)), {Label.REPLICA: "l"}
    points = [
        *lmcache_points.points(own, reading, lambda kind: "an-adapter"),
        *lmcache_models.points(own, reading, lambda root: "a-model"),
    ]
    told = [(label, value) for point in points for label, value in point.labels.items() if label in _CLOSED]
    assert [pair for pair in told if pair[1] not in _CLOSED[pair[0]]] == []
    series = [(point.family.name, *sorted(point.labels.items())) for point in points]
    assert len(series) == len(set(series))
