"""Where the stack of this checkout lives."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import stack
from stack.config import Layout
from stack.local.runtime_folder import ROOT

VARIABLE = "KVDECK_HOME"


def home_layout(environment: Mapping[str, str] = os.environ) -> Layout:
    """The layout of KVDECK_HOME, or else of the checkout that this package is in."""
    named = environment.get(VARIABLE)
    checkout = Path(named) if named else Path(stack.__file__).parents[1]
    return Layout.of(checkout.resolve(), ROOT)
