"""Every drill over a stack that writes down what is done to it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml

import stack.drill.drills  # noqa: F401  # importing it registers every drill
from stack.drill.drill import Drill, DrillError, drills
from stack.drill.quick import Patience
from stack.model.target import Target
from stack.model.tier import Pool

RULES = Path(__file__).parents[3] / "alerts" / "rules"
ALL = pytest.mark.parametrize("drill", drills(), ids=lambda drill: drill.name)


class Notes:
    """A scene on which `failing` fails."""

    def __init__(self, emulated: bool = False, failing: str = "") -> None:
        self.emulated, self._failing = emulated, failing
        self.done: list[tuple[str, ...]] = []

    def engine(self, pool: Pool) -> Target:
        name = f"{pool}-0"
        return Target(replica=name, url=f"http://{name}", pool=pool, model="m", model_root="/m", emulated=self.emulated)

    def process_of(self, engine: Target) -> str:
        return "emulator" if engine.emulated else engine.replica

    async def hold(self, component: str) -> None:
        self._note("hold", component)

    async def release(self, component: str) -> None:
        self._note("release", component)

    async def kill(self, engine: Target) -> None:
        self._note("kill", engine.replica)

    async def kill_process(self, component: str) -> None:
        self._note("kill", component)

    async def freeze(self, component: str, *, server: bool = True) -> None:
        self._note("freeze", component, "whole" if server else "core")

    async def thaw(self, component: str) -> None:
        self._note("thaw", component)

    @asynccontextmanager
    async def ask(self, requests: Sequence[str], tokens: int) -> AsyncIterator[None]:
        self._note("ask", str(len(set(requests))))
        yield

    async def prefill(self, engine: Target, prompt: str) -> bytes:
        self._note("prefill", engine.replica)
        return b"{}"

    async def decode(self, engine: Target, prompt: str, prefilled: bytes) -> None:
        self._note("decode", engine.replica)

    async def complete(self, engine: Target, prompt: str) -> None:
        self._note("complete", engine.replica)
        await asyncio.sleep(0)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(0)

    async def store(self, *command: str) -> None:
        self._note(command[1].lower(), "store")

    def prompt(self, words: int) -> str:
        return f"{len(self.done)} {words} {id(object())} {Counter(self.done)}"

    def _note(self, *what: str) -> None:
        self.done.append(what)
        if what[0] == self._failing:
            raise DrillError(f"{what[0]} failed")


def played(drill: Drill, scene: Notes, fault: BaseException | None = None) -> None:
    async def play() -> None:
        async with drill.broken(scene):
            await asyncio.sleep(0)
            if fault is not None:
                raise fault

    asyncio.run(play())


def unmended(scene: Notes) -> list[str]:
    undone = {"hold": "release", "freeze": "thaw", "pause": "unpause"}
    last = {what[1]: what[0] for what in scene.done if what[0] in {*undone, *undone.values()}}
    return [name for name, what in last.items() if what in undone]


@ALL
def test_what_it_breaks_it_mends(drill: Drill) -> None:
    scene = Notes()
    played(drill, scene)
    assert scene.done
    assert unmended(scene) == []


@ALL
def test_it_mends_when_it_is_interrupted(drill: Drill) -> None:
    scene = Notes()
    with pytest.raises(KeyError):
        played(drill, scene, KeyError("interrupted"))
    assert unmended(scene) == []


@ALL
@pytest.mark.parametrize("failing", ["hold", "kill", "freeze", "ask", "decode", "pause", "complete"])
def test_it_mends_when_the_breaking_fails_half_way(drill: Drill, failing: str) -> None:
    scene = Notes(failing=failing)
    try:
        played(drill, scene)
    except* DrillError:
        pass
    assert unmended(scene) == []


@ALL
def test_its_alerts_are_alerts_that_there_are(drill: Drill) -> None:
    known = Patience([yaml.safe_load(path.read_bytes()) for path in RULES.glob("*.yaml")]).names()
    assert sorted({*drill.required, *drill.tolerated} - known) == []
    assert drill.required
    assert not drill.tolerated & set(drill.required)


@ALL
def test_over_emulated_engines_it_breaks_the_process_that_they_are_in(drill: Drill) -> None:
    scene = Notes(emulated=True)
    played(drill, scene)
    victims = {what[1] for what in scene.done if what[0] in ("hold", "freeze")}
    assert victims <= ({"emulator"} if drill.emulated else victims)


def test_an_engine_is_killed_before_it_is_held_down() -> None:
    scene = Notes()
    played(next(drill for drill in drills() if drill.name == "engine-killed"), scene)
    assert scene.done == [("kill", "decode-0"), ("hold", "decode-0"), ("release", "decode-0")]


def test_kv_is_promised_before_the_engine_is_killed_and_fetched_after() -> None:
    scene = Notes()
    played(next(drill for drill in drills() if drill.name == "transfer-lost"), scene)
    first, last = [("prefill", "prefill-0"), ("decode", "decode-0")], [("decode", "decode-0")] * 5
    assert scene.done == [*first, *[("prefill", "prefill-0")] * 5, ("kill", "prefill-0"), *last]
