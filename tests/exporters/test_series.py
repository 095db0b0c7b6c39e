"""How many series an engine makes: each costs Prometheus memory for as long as the engine is there."""

import re
from collections import Counter
from pathlib import Path

from stack.engines import lmcache_quantities as lq
from stack.metrics import catalog
from stack.model.target import Target
from tests.exporters import synthetic, synthetic_lmcache
from tests.exporters.recorded import DATA, Hosts, target
from tests.exporters.test_app import exporter

MOST = 120
_SERIES = re.compile(r'^(\w+?)(?:_bucket|_sum|_count)?\{(?:.*,)?(?:replica|target)="([^"]+)"', re.MULTILINE)


def breakdown(page: str) -> dict[str, Counter[str]]:
    """Series by target and family."""
    found: dict[str, Counter[str]] = {}
    for family, replica in _SERIES.findall(page):
        found.setdefault(replica, Counter())[family] += 1
    return found


async def test_no_recorded_or_synthetic_engine_makes_more_than_120(tmp_path: Path) -> None:
    documents = [(path.stem, path.read_bytes()) for path in (DATA / "expositions").glob("vllm-0.32-*.txt")]
    documents += [(f"synthetic {version}", synthetic.exposition(version)) for version in synthetic.versions()]
    inside = synthetic_lmcache.exposition(lq.IN_PROCESS, (0, 5, 6))
    documents.append(("synthetic with LMCache inside", synthetic.exposition((0, 32, 0)) + inside))
    hosts, fleet = Hosts(), list[Target]()
    for number, (_, document) in enumerate(documents):
        hosts.engine(f"e{number}", document)
        fleet.append(target(f"e{number}"))
    async with exporter(tmp_path, hosts) as one:
        one.list(*fleet)
        page = await one.text()
    found = {documents[int(replica[1:])][0]: families for replica, families in breakdown(page).items() if replica.startswith("e")}
    assert len(found) == len(documents)
    assert all(families[catalog.SCRAPE_COLLECTOR_SUCCESS.name] == 1 for families in found.values())
    assert {name: families.most_common() for name, families in found.items() if families.total() > MOST} == {}
