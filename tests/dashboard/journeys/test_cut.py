"""What counts as cut off in a picture."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.dashboard.chromium import MARKS
from tests.dashboard.cut import cut

pytestmark = MARKS

_CLIP = '<clipPath id="plot"><rect x="0" y="0" width="100" height="50"/></clipPath>'


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        ('<text x="20" y="40">whole</text><text x="20" y="80">below</text>', []),
        ('<text x="20" y="108">axis</text>', ["axis (beyond its picture)"]),
        ('<text x="20" y="40">one</text><text x="25" y="45">other</text>', ["one (over other)"]),
        (f'{_CLIP}<g clip-path="url(#plot)"><text x="80" y="40">clipped</text></g>', ["clipped (clipped)"]),
        (
            '<rect class="nsewdrag" width="100" height="50"/><g class="legend"><text x="20" y="40">word</text></g>',
            ["word (over what is plotted)"],
        ),
        ('<text x="20" y="40">one</text><text x="25" y="45" style="visibility: hidden">unseen</text>', []),
        ('<text x="20" y="40">one</text><g class="hoverlayer"><text x="25" y="45">pointed at</text></g>', []),
    ],
)
def test_words_of_a_picture_are_cut_where_they_are_not_to_be_read(driven: Browser, drawn: str, found: list[str]) -> None:
    page = driven.new_page()
    page.set_content(f'<div class="js-plotly-plot"><svg width="200" height="100">{drawn}</svg></div>')
    assert cut(page) == found
    page.close()
