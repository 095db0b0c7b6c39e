from stack.adapters.exposition import parse
from stack.bench.exporter.canned import exposition, named_models
from stack.engines import lmcache
from stack.engines.vllm import WANTED, read


def test_the_page_is_as_large_as_asked_for_and_reads_as_an_engine() -> None:
    document = exposition(90_000)
    assert 90_000 <= len(document) < 1.05 * 90_000
    found = read(parse(document, WANTED), (0, 32, 0))
    assert found.prompt is not None
    assert found.running == 0.0


def test_a_server_whose_clients_named_models_reads_as_an_lmcache() -> None:
    found = lmcache.read(parse(named_models(3, 5_000), lmcache.WANTED))
    assert found.mode is lmcache.Mode.MULTI_PROCESS
    assert len(found.hits) == 5_000
    assert found.hits["client-3-4999"] == lmcache.TierHits(512.0, 256.0, None)
