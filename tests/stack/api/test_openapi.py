"""The OpenAPI document says what control does."""

from __future__ import annotations

from pathlib import Path

import schemathesis

from stack.api.permit import OPEN_PATHS, Permitted
from tests.decisions import decision, disaggregated
from tests.grants import EVERYBODY, bearer
from tests.stack.api.deck import Deck, deck

README = Path(__file__).parents[3] / "README.md"


def row(route: Permitted) -> str:
    """A route as the README tells it."""
    return f"| `{route.method} {route.path}` | {route.needs or 'anybody'} | {route.contract.summary} |"


async def _told(it: Deck) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_dict((await it.http.get("/openapi.json")).json())


async def test_it_is_a_valid_document_that_nobody_needs_a_token_for(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        (await _told(it)).validate()


async def test_it_tells_every_route_with_its_parameters_and_its_role(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        paths = (await it.http.get("/openapi.json")).json()["paths"]
        routes = [route for route in it.control.app.routes if isinstance(route, Permitted)]
        assert {(path, method.upper()) for path, methods in paths.items() for method in methods} == {
            (route.path, route.method) for route in routes
        }
        for route in routes:
            told = paths[route.path][route.method.lower()]
            assert {each["name"] for each in told["parameters"] if each["in"] == "path"} == set(route.param_convertors)
            assert ("security" in told) == (route.path not in OPEN_PATHS)
        names = [told["operationId"] for methods in paths.values() for told in methods.values()]
        assert len(names) == len(set(names))


async def test_what_control_answers_is_as_told(tmp_path: Path) -> None:
    async with deck(tmp_path, tokens=EVERYBODY) as it:
        it.http.headers.update(bearer("admin"))
        router = it.router()
        await router.follow()
        await it.patch({"strategy": "nonsense"})
        schema = await _told(it)
        for path in ("/v1/state", "/v1/audit", "/v1/generations", "/v1/decisions", "/health"):
            schema[path]["GET"].validate_response(await it.http.get(path))
        for patch in ({"models": {"smollm2": {"strategy": "session"}}}, {"models": {"smollm2": {"strategy": "nonsense"}}}):
            schema["/v1/state"]["PATCH"].validate_response(await it.patch(patch))
        schema["/v1/rollback"]["POST"].validate_response(await it.rollback(1))
        schema["/v1/generations/{generation}"]["GET"].validate_response(await it.http.get("/v1/generations/2"))
        config = await it.http.get("/v1/routers/router-0/config", params={"version": "-1"})
        schema["/v1/routers/{id}/config"]["GET"].validate_response(config)
        await router.report(decision(at=1.0), disaggregated(at=2.0))
        schema["/v1/what-if"]["GET"].validate_response(await it.http.get("/v1/what-if"))
        for generation in (1, 2):
            schema["/v1/reports/{generation}"]["GET"].validate_response(await it.http.get(f"/v1/reports/{generation}"))
        schema["/v1/decisions/{id}"]["GET"].validate_response(await it.http.get("/v1/decisions/none"))
        refused = await it.http.get("/v1/state", headers=bearer("nobody"))
        schema["/v1/state"]["GET"].validate_response(refused)


async def test_the_readme_tells_every_route_and_who_may_ask_it(tmp_path: Path) -> None:
    async with deck(tmp_path) as it:
        routes = [row(route) for route in it.control.app.routes if isinstance(route, Permitted)]
    _, _, section = README.read_text(encoding="utf-8").partition("### The control API\n")
    assert [line for line in section.partition("\n#")[0].splitlines() if line.startswith("| `")] == routes
