"""Text that a reader does not see whole: in boxes of a page, and in the pictures that are drawn on it."""

from __future__ import annotations

from playwright.sync_api import Page

# Text that its box does not show whole: cut off at an edge, or ended by an ellipsis. What scrolls shows all.
_BOXES = """() => {
  const found = [];
  for (const node of document.querySelectorAll('[data-testid=stMain] *, header *')) {
    const own = [...node.childNodes].some(child => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
    if (!own || !node.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    if (node.closest('[data-testid=stDataFrame], canvas, svg, pre, code, [aria-hidden=true], [inert]')) continue;
    const style = getComputedStyle(node);
    const hides = value => value === 'hidden' || value === 'clip';
    if ((hides(style.overflowX) && node.scrollWidth > node.clientWidth + 1)
        || (hides(style.overflowY) && node.scrollHeight > node.clientHeight + 2)) found.push(node.textContent.trim().slice(0, 80));
  }
  return found;
}"""

# Text of a picture that reaches beyond the picture or what it is clipped to, lies over another text of it, or is a legend's
# and lies over what is plotted. A box of text has some air around its letters; what floats while a reader points is left out.
_PICTURES = """() => {
  const found = [], air = 3;
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > air
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > air;
  const beyond = (a, b) => a.left < b.left - air || a.right > b.right + air || a.top < b.top - air || a.bottom > b.bottom + air;
  const clips = node => {
    const areas = [];
    for (let at = node; at && at.tagName !== 'svg'; at = at.parentNode) {
      const [, id] = (at.getAttribute('clip-path') || '').match(/#([^'")]+)/) || [];
      const shape = id && document.getElementById(id)?.querySelector('rect');
      if (!shape) continue;
      const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name => shape[name].baseVal.value);
      const seen = at.getScreenCTM();
      const corner = (x, y) => new DOMPoint(x, y).matrixTransform(seen), one = corner(x, y), two = corner(x + width, y + height);
      areas.push({left: one.x, right: two.x, top: one.y, bottom: two.y});
    }
    return areas;
  };
  for (const chart of document.querySelectorAll('.js-plotly-plot')) {
    if (chart.closest('[inert], [aria-hidden=true]')) continue;
    const texts = [...chart.querySelectorAll('svg text')].map(node => ({
      node, words: node.textContent.trim().slice(0, 80), area: node.getBoundingClientRect(),
    })).filter(({node, words, area}) => words && area.width > 0 && !node.closest('.hoverlayer')
      && node.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}));
    const plotted = [...chart.querySelectorAll('.nsewdrag')].map(node => node.getBoundingClientRect());
    texts.forEach(({node, words, area}, number) => {
      if (beyond(area, node.ownerSVGElement.getBoundingClientRect())) found.push(`${words} (beyond its picture)`);
      if (clips(node).some(clip => beyond(area, clip))) found.push(`${words} (clipped)`);
      if (node.closest('.legend') && plotted.some(plot => overlap(area, plot))) found.push(`${words} (over what is plotted)`);
      for (const other of texts.slice(number + 1)) if (overlap(area, other.area)) found.push(`${words} (over ${other.words})`);
    });
  }
  return found;
}"""


def cut(page: Page) -> list[str]:
    """The words that are not to be read whole, those of pictures with what is wrong with them."""
    return [*page.evaluate(_BOXES), *page.evaluate(_PICTURES)]
