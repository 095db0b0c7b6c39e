"""Engines whose list does not say what they serve say it themselves."""

from __future__ import annotations

import httpx
from msgspec.structs import replace

from stack.adapters.model_names import ModelNames
from stack.model.target import Target
from stack.model.tier import Pool


def engine(name: str, model: str = "") -> Target:
    return Target(replica=name, url=f"http://{name}:8000", pool=Pool.DECODE, model=model, model_root=model)


class Engines:
    """Each answers at /v1/models with its models, or not at all; `asked` counts."""

    def __init__(self, **models: list[dict[str, object]] | int) -> None:
        self.models, self.asked = models, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        told = self.models.get(request.url.host)
        if told is None:
            raise httpx.ConnectError("refused")
        if request.headers.get("authorization") != "Bearer key" or isinstance(told, int):
            return httpx.Response(told if isinstance(told, int) else 401)
        return httpx.Response(200, json={"data": told})


def names(engines: Engines) -> ModelNames:
    return ModelNames(httpx.AsyncClient(transport=httpx.MockTransport(engines)), "Bearer key")


async def test_an_engine_is_told_of_once_it_has_said_what_it_serves() -> None:
    engines = Engines(a=[{"id": "llama", "root": "/models/llama"}, {"id": "tuned", "parent": "llama"}], b=503)
    known, listed = names(engines), [engine("a"), engine("b"), engine("c"), engine("d", "other")]
    assert known.named(listed) == [engine("d", "other")]
    await known.learn(listed)
    a = replace(engine("a"), model="llama", model_root="/models/llama")
    assert known.named(listed) == [a, engine("d", "other")]
    engines.models["b"] = [{"id": "llama"}]
    await known.learn(listed)
    assert known.named(listed) == [a, replace(engine("b"), model="llama", model_root="llama"), engine("d", "other")]
    assert engines.asked == 3 + 2  # what is known is not asked again


async def test_what_comes_back_at_another_address_says_it_anew() -> None:
    engines = Engines(a=[{"id": "llama"}])
    known = names(engines)
    await known.learn([engine("a")])
    assert known.named([replace(engine("a"), url="http://elsewhere:8000")]) == []
    await known.learn([])
    assert known.named([engine("a")]) == []
