from stack.adapters.exposition import parse
from stack.bench.exporter.canned import exposition
from stack.engines.vllm import WANTED, read


def test_the_page_is_as_large_as_asked_for_and_reads_as_an_engine() -> None:
    document = exposition(90_000)
    assert 90_000 <= len(document) < 200_000
    found = read(parse(document, WANTED), (0, 32, 0))
    assert found.prompt is not None
    assert found.running == 0.0
