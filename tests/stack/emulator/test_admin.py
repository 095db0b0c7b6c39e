import httpx

SPEC = {"pool": "decode", "port": 0, "model": "m", "model_root": "/nowhere"}


async def test_engines_are_put_listed_and_deleted(admin: httpx.AsyncClient, http: httpx.AsyncClient) -> None:
    put = await admin.put("/engines/decode-0", json=SPEC)
    assert put.status_code == 200
    listed = (await admin.get("/engines")).json()["engines"]
    assert listed == [put.json()]
    assert (await http.get(f"{listed[0]['url']}/health")).status_code == 200
    assert (await admin.delete("/engines/decode-0")).status_code == 204
    assert (await admin.get("/engines")).json() == {"engines": []}


async def test_an_engine_that_is_not_there_cannot_be_deleted(admin: httpx.AsyncClient) -> None:
    answer = await admin.delete("/engines/decode-0?now")
    assert (answer.status_code, answer.json()) == (404, {"error": "no such engine"})


async def test_a_bad_spec_is_refused_by_name(admin: httpx.AsyncClient) -> None:
    unknown = await admin.put("/engines/decode-0", json=SPEC | {"ports": 1})
    assert (unknown.status_code, unknown.json()["error"]) == (400, "engine spec: Object contains unknown field `ports`")
    profile = await admin.put("/engines/decode-0", json=SPEC | {"profile": "none"})
    assert profile.status_code == 409
    assert "unknown profile 'none'" in profile.json()["error"]


async def test_it_is_healthy(admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/health")).text == "ok\n"


async def test_the_cache_server_that_engines_name_says_what_lmcaches_would(admin: httpx.AsyncClient) -> None:
    assert (await admin.get("/status")).status_code == 404
    await admin.put("/engines/decode-0", json=SPEC | {"cache_server": "lmcache"})
    status = (await admin.get("/status")).json()
    assert (status["storage_manager"], status["emulated"]) == ({"l1_manager": {"total_object_count": 0}}, True)
    assert (await admin.get("/store")).json()["db0"] == {"keys": 0}
    second = await admin.put("/engines/decode-1", json=SPEC | {"cache_server": "another"})
    assert (second.status_code, "already" in second.json()["error"]) == (409, True)
