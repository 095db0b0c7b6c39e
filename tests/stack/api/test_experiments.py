"""An experiment from its proposal to its end, against a whole control and a router that does as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from stack.control.decision import Arm, DecisionRecord
from stack.control.mode import Mode, Stance
from tests.grants import EVERYBODY, bearer
from tests.stack.api.deck import Clock, Deck, Router, deck
from tests.stack.control.test_experiment import record

PROPOSAL = {"candidate": {"strategy": "kv_aware"}, "share": 0.5, "samples": 400, "guardrails": {"gap": None}}


@asynccontextmanager
async def allowed(folder: Path, **fields: Any) -> AsyncIterator[tuple[Deck, Router]]:
    async with deck(folder, experiments=True, **fields) as it:
        router = it.router()
        await router.follow()
        yield it, router


async def begin(it: Deck, proposal: object = PROPOSAL, generation: object = None, **params: str) -> httpx.Response:
    based_on = it.control.board.generation if generation is None else generation
    headers = {"If-Match": str(based_on), "X-Kvdeck-Actor": "ann"}
    return await it.http.post("/v1/experiments", json=proposal, params=params, headers=headers)


async def begun(it: Deck, router: Router, **fields: object) -> str:
    """One that the router takes part in; its id."""
    answer = await begin(it, PROPOSAL | fields)
    assert answer.status_code in (200, 202), answer.text
    await router.follow()
    return str(answer.json()["experiment"]["id"])


async def shown(it: Deck, name: str) -> Any:
    return (await it.http.get(f"/v1/experiments/{name}")).json()


def requests(experiment: str, count: int, candidate: float, first: int = 0, **fields: Any) -> list[DecisionRecord]:
    """Without sessions; the candidate's first tokens take `candidate` times as long."""
    random, made = Random(first), []
    for number in range(first, first + count):
        arm = Arm.CANDIDATE if random.random() < 0.5 else Arm.CONTROL
        ttft = random.lognormvariate(-2.0, 0.4) * (candidate if arm is Arm.CANDIDATE else 1.0)
        seen = {"request_id": f"r{number}", "model": "smollm2", "experiment": experiment, "ttft_seconds": ttft}
        made.append(record(arm, None, **seen | fields))
    return made


async def look(it: Deck, seconds: float = 1.0) -> None:
    it.clock.advance(seconds)
    await it.control.judging.look()


async def test_it_is_kept_told_to_routers_and_shown(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        answer = await begin(it, comment="a try")
        assert answer.status_code == 202  # the router has yet to hear of it
        said = answer.json()
        assert said["pending"] == ["router-0"]
        assert [change["field"] for change in said["diff"]] == ["models.smollm2.strategy"]
        assert [effect["kind"] for effect in said["effects"]] == ["switch_strategy", "switch_strategy"]
        config = await router.fetch()
        assert config is not None
        name = said["experiment"]["id"]
        trial = config.experiments["smollm2"]
        assert (trial.id, trial.share, trial.candidate.strategy) == (name, 0.5, "kv_aware")
        assert (config.generation, config.models["smollm2"].strategy) == (1, "prefix_aware")
        assert (await shown(it, name))["not_taking_part"] == ["router-0"]
        await router.report()
        view = await shown(it, name)
        assert (view["not_taking_part"], view["samples_left"], view["seconds_left"]) == ([], 400, None)
        listed = (await it.http.get("/v1/experiments")).json()["experiments"]
        assert [(each["id"], each["stage"], each["actor"]) for each in listed] == [(name, "running", "ann")]
        last = (await it.http.get("/v1/audit")).json()["records"][0]
        assert (last["outcome"], last["actor"], last["comment"], last["generation"]) == ("experiment", "ann", "a try", 1)
        assert last["effects"][0] == "running: 50% of smollm2's sessions go by the candidate, until 400 sessions are counted"


async def test_off_by_default(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        answer = await begin(it)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "experiments_off")
        assert (await it.http.get("/v1/experiments")).json() == {"experiments": []}


async def test_a_dry_run_says_the_same_and_runs_nothing(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, _):
        said = (await begin(it, dry_run="true")).json()
        assert (said["dry_run"], len(said["effects"])) == (True, 2)
        assert it.control.board.trials == {}
        assert (await it.http.get("/v1/experiments")).json() == {"experiments": []}


@pytest.mark.parametrize(
    ("proposal", "status", "field"),
    [
        (PROPOSAL | {"candidate": {"pools": {"decode": {"replicas": 3}}}}, 422, "models.smollm2.pools.decode.replicas"),
        (PROPOSAL | {"candidate": {"strategy": "magic"}}, 422, "models.smollm2.strategy"),
        (PROPOSAL | {"candidate": {"colour": "red"}}, 422, "colour"),
        (PROPOSAL | {"samples": 3}, 422, "samples"),
        (PROPOSAL | {"share": "half"}, 422, "share"),
        ([], 422, None),
    ],
)
async def test_a_refused_one_names_the_field_is_noted_and_leaves_everything_alone(
    tmp_path: Path, proposal: object, status: int, field: str | None
) -> None:
    async with allowed(tmp_path) as (it, _):
        version = it.control.board.version
        answer = await begin(it, proposal)
        assert (answer.status_code, answer.json()["error"]["field"]) == (status, field)
        assert (it.control.board.generation, it.control.board.version) == (1, version)
        assert (await it.outcomes())[-1] == "refused"


async def test_one_at_a_time_for_a_model_and_only_on_the_generation_that_was_seen(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        assert (await begin(it, generation=7)).json()["error"]["code"] == "stale"
        await begun(it, router)
        assert (await begin(it)).json()["error"]["code"] == "experiment_running"


async def test_a_candidate_that_is_better_becomes_a_generation_of_its_own_doing(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        await router.report(*requests(name, 300, 0.6))
        await look(it)
        config = await router.fetch()
        assert config is not None
        assert (config.generation, config.models["smollm2"].strategy, config.experiments) == (2, "kv_aware", {})
        view = await shown(it, name)
        assert (view["experiment"]["stage"], view["experiment"]["promoted"]) == ("promoted", 2)
        assert view["experiment"]["reason"].startswith("ttft is better: 0.5")
        kept = (await it.http.get("/v1/generations/2")).json()
        assert kept["record"]["actor"] == f"experiment:{name}"
        assert (await it.outcomes())[-3:] == ["experiment", "applied", "experiment"]


async def test_a_candidate_that_is_worse_is_rolled_back_before_most_samples_are_in(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        for first in range(0, 400, 100):
            await router.report(*requests(name, 100, 1.6, first))
            await look(it)
        config = await router.fetch()
        assert config is not None
        assert (config.generation, config.models["smollm2"].strategy, config.experiments) == (1, "prefix_aware", {})
        view = await shown(it, name)
        assert view["experiment"]["stage"] == "rolled_back"
        assert view["control"]["sessions"] + view["candidate"]["sessions"] < 400


async def test_a_report_that_is_sent_again_counts_once(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        await router.report(*requests(name, 100, 1.0))
        await router.again()
        await look(it)
        await router.again()
        await look(it)
        view = await shown(it, name)
        assert view["control"]["requests"] + view["candidate"]["requests"] == 100


async def test_a_candidate_that_is_equal_is_not_promoted(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        for first in range(0, 400, 100):
            await router.report(*requests(name, 100, 1.0, first))
            await look(it)
        assert (await shown(it, name))["experiment"]["stage"] == "stopped"
        assert it.control.board.generation == 1


async def test_somebody_can_stop_it(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        answer = await it.http.post(f"/v1/experiments/{name}/stop", headers={"X-Kvdeck-Actor": "bob"})
        assert (answer.status_code, answer.json()["experiment"]["reason"]) == (200, "stopped by bob")
        assert it.control.board.trials == {}
        again = await it.http.post(f"/v1/experiments/{name}/stop")
        assert (again.status_code, again.json()["error"]["code"]) == (409, "not_running")
        assert (await it.http.post("/v1/experiments/none/stop")).status_code == 404


async def test_a_change_of_its_model_goes_before_it(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        assert (await it.state())["experiments"] == {"smollm2": name}
        assert 'kvdeck_control_experiment_running{model_name="smollm2"} 1.0' in (await it.http.get("/metrics")).text
        preview = (await it.patch({"pools": {"decode": {"replicas": 3}}}, dry_run="true")).json()
        assert preview["effects"][-1]["sentence"] == (f"Experiment {name} ends: every session of smollm2 goes by what is desired.")
        assert (await it.patch({"pools": {"decode": {"replicas": 3}}})).status_code in (200, 202)
        config = await router.fetch()
        assert config is not None
        assert config.experiments == {}  # at once, with the change
        assert (await it.state())["experiments"] == {}
        await look(it)
        ended = (await shown(it, name))["experiment"]
        assert (ended["stage"], ended["reason"]) == ("aborted", "smollm2 was changed by anonymous, in generation 2")


async def test_it_survives_controls_end_with_what_was_counted(tmp_path: Path) -> None:
    clock = Clock()
    async with allowed(tmp_path, clock=clock) as (it, router):
        name = await begun(it, router)
        await router.report(*requests(name, 50, 1.0))
        await look(it, 20.0)
        await router.report(*requests(name, 30, 1.0, 50))  # counted in no look that was kept
    async with allowed(tmp_path, clock=clock) as (it, router):
        assert it.control.board.trials["smollm2"].id == name
        view = await shown(it, name)
        assert (view["experiment"]["resumed"], view["control"]["sessions"] + view["candidate"]["sessions"]) == (1, 50)
        last = (await it.http.get("/v1/audit")).json()["records"][0]
        assert last["effects"] == [
            "goes on after control came back: with the 50 sessions that were kept; what came since is not counted"
        ]
        await router.report(*requests(name, 50, 1.0))
        await look(it)
        view = await shown(it, name)
        assert view["control"]["sessions"] + view["candidate"]["sessions"] == 50  # none twice


async def test_it_ends_with_a_control_that_does_not_allow_it(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
    async with deck(tmp_path) as it:
        ended = (await shown(it, name))["experiment"]
        assert (ended["stage"], ended["reason"]) == ("aborted", "when control came back: control was not run with --experiments")


async def test_a_promotion_whose_end_was_not_kept_is_one(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        await it.http.patch(
            "/v1/state", json={"strategy": "kv_aware"}, headers={"If-Match": "1", "X-Kvdeck-Actor": f"experiment:{name}"}
        )
    async with allowed(tmp_path) as (it, router):
        ended = (await shown(it, name))["experiment"]
        assert (ended["stage"], ended["promoted"]) == ("promoted", 2)


async def test_only_operators_begin_and_stop(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY, experiments=True) as it:
        it.http.headers.update(bearer("viewer"))
        assert (await begin(it)).status_code == 403
        assert (await it.http.post("/v1/experiments/any/stop")).status_code == 403
        assert (await it.http.get("/v1/experiments")).status_code == 200


async def test_what_cannot_be_kept_does_not_run(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, _):
        await it.store.file.do(lambda db: db.execute("DROP TABLE experiment"))
        answer = await begin(it)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "not_kept")
        assert it.control.board.trials == {}


async def test_it_ends_with_a_control_that_only_observes(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
    async with allowed(tmp_path, stance=Stance(Mode.OBSERVE)) as (it, router):
        ended = (await shown(it, name))["experiment"]
        assert (ended["stage"], ended["reason"].split(":")[0]) == ("aborted", "when control came back")
        answer = await begin(it)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "mode")


async def test_it_has_to_say_why_where_changes_have_to(tmp_path: Path) -> None:
    async with allowed(tmp_path, stance=Stance(comment_required=True)) as (it, router):
        assert (await begin(it)).json()["error"]["field"] == "comment"
        assert (await begin(it, comment="a try")).status_code == 202
        await router.follow()
        (trial,) = it.control.board.trials.values()
        await router.report(*requests(trial.id, 300, 0.6))
        await look(it)
        assert it.control.board.generation == 2  # a promotion says why by itself


async def test_a_control_that_is_told_to_end_keeps_what_it_has_counted(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        await router.report(*requests(name, 50, 1.0))
        await look(it)
        running = asyncio.create_task(it.control.judging.run())
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    async with allowed(tmp_path) as (it, router):
        view = await shown(it, name)
        assert view["control"]["sessions"] + view["candidate"]["sessions"] == 50


async def test_a_full_disk_puts_a_promotion_off_and_loses_nothing(tmp_path: Path) -> None:
    async with allowed(tmp_path) as (it, router):
        name = await begun(it, router)
        await it.store.file.do(lambda db: db.execute("PRAGMA query_only = 1"))
        await router.report(*requests(name, 300, 0.6))
        await look(it)
        assert ((await shown(it, name))["experiment"]["stage"], it.control.board.generation) == ("running", 1)
        assert it.control.board.trials["smollm2"].id == name
        await it.store.file.do(lambda db: db.execute("PRAGMA query_only = 0"))
        await look(it)
        assert ((await shown(it, name))["experiment"]["stage"], it.control.board.generation) == ("promoted", 2)
