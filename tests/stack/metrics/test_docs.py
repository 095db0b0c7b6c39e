"""The README's metric table is the catalogue's."""

from pathlib import Path

import pytest

from stack.metrics.catalog import BUILD_INFO, CACHE_EVICTED_KEYS, CATALOG
from stack.metrics.docs import block, table, with_block

README = Path(__file__).parents[3] / "README.md"


def test_the_readme_lists_every_family_as_it_is_declared() -> None:
    assert block(README.read_text()) == table(CATALOG.values())


def test_a_row_tells_name_kind_unit_emitter_labels_and_meaning() -> None:
    assert table([CACHE_EVICTED_KEYS, BUILD_INFO]) == (
        "| family | kind | unit | emitter | labels | meaning |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        f"| `kvdeck_cache_evicted_keys_total` | counter | keys | exporter | `replica`, `tier` | {CACHE_EVICTED_KEYS.help} |\n"
        "| `kvdeck_build_info` | gauge | - | exporter | `version` | 1, with the version of kvdeck. |\n"
    )


def test_a_block_is_replaced_and_the_rest_is_kept() -> None:
    document = "a\n<!-- metrics:begin -->\nold\n<!-- metrics:end -->\nb\n"
    assert with_block(document, "new\n") == "a\n<!-- metrics:begin -->\nnew\n<!-- metrics:end -->\nb\n"


@pytest.mark.parametrize("document", ["", "<!-- metrics:begin -->\n", "<!-- metrics:end -->"])
def test_a_document_without_markers_is_refused(document: str) -> None:
    with pytest.raises(ValueError, match="metrics:begin"):
        block(document)
