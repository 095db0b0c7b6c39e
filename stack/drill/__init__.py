"""Breaks one thing of the local stack for real, and checks that the alerts say so."""
