"""The page on which people sign in, and the one that says why nothing is shown: nothing in them comes from elsewhere."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from enum import StrEnum
from html import escape

from starlette.responses import HTMLResponse


class Said(StrEnum):
    """What the last attempt came to."""

    WRONG = "wrong"
    MACHINE = "machine"
    AWAY = "away"
    TOKENLESS = "tokenless"
    BUSY = "busy"
    ELSEWHERE = "elsewhere"


_WORDS = {
    Said.WRONG: "Control does not know this token. It may have been taken back, or not been copied whole.",
    Said.MACHINE: "This is a router's token, for machines. People have the role viewer, operator or admin.",
    Said.AWAY: "Control does not answer, so nobody can be signed in. kvdeck status, or its pod, tells its state.",
    Said.TOKENLESS: "Control takes no tokens, so nobody can be told from anybody. Start it with --tokens FILE.",
    Said.BUSY: "Too many people are signing in at the moment. Try again.",
    Said.ELSEWHERE: "That did not come from this page, or a proxy in between changed the Host header, which it has to pass on.",
}
_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
main { width: min(24rem, 100vw - 3rem); }
h1 { font-size: 1.4rem; margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid GrayText; border-radius: .3rem; }
button { font: inherit; margin-top: 1rem; padding: .5rem 1.25rem; border: 0; border-radius: .3rem; background: #3f5bd9; }
button { color: #fff; }
input:focus-visible, button:focus-visible { outline: 2px solid #7d93ff; outline-offset: 2px; }
[role=alert] { border-left: 4px solid #e5534b; padding: .25rem .75rem; margin: 0 0 1rem; }
p { margin: 1rem 0 0; } small { opacity: .8; }
"""
_HASH = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": f"default-src 'none'; img-src data:; style-src 'sha256-{_HASH}'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",  # with none the browser would not say that the form is ours
    "X-Content-Type-Options": "nosniff",
}
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} - kvdeck</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">{head}'
    "<style>{style}</style></head><body><main><h1>{title}</h1>{body}</main></body></html>"
)
_FORM = (
    '{alert}<form method="post" action="{action}"><input type="hidden" name="next" value="{onward}">'
    '<label for="token">Control token</label>'
    '<input id="token" name="token" type="password" autocomplete="current-password" autofocus required aria-describedby="hint">'
    '<button type="submit">Sign in</button><p id="hint"><small>Your own token, with which kvdeck ctl works, too. Whoever runs'
    " control makes one: <code>kvdeck token new</code>. What you change here is in the audit log under its name.</small></p></form>"
)


def form(action: str, onward: str, said: Said | None) -> HTMLResponse:
    """The form, which is sent to `action` and leads to `onward`."""
    alert = f'<p role="alert">{escape(_WORDS[said])}</p>' if said else ""
    return _page("Sign in", _FORM.format(alert=alert, action=escape(action), onward=escape(onward)))


def again(path: str) -> HTMLResponse:
    """Has the browser ask for `path` once more: this time it is we who lead there, and it sends its cookie."""
    link = f'<p><a href="{escape(path)}">Go on</a></p>'
    return _page("One moment", link, head=f'<meta http-equiv="refresh" content="0;url={escape(path)}">')


def why(reason: str) -> HTMLResponse:
    """That nothing is shown, and why."""
    return _page("Nothing is shown here", f"<p>{escape(reason)}</p>", status=403)


def _page(title: str, body: str, *, head: str = "", status: int = 200) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(title=title, body=body, head=head, style=_STYLE), status, headers=HEADERS)
