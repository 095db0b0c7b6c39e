"""Tests of dashboard.alarms."""
