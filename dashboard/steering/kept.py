"""Widgets that are filled once."""

from __future__ import annotations

import streamlit as st


def kept(key: str, value: object) -> str:
    """`key`, filled where the widget is new, or was forgotten because another page was looked at meanwhile."""
    st.session_state.setdefault(key, value)
    return key
