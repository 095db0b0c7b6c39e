"""Options of the exporter's command line by which engines are found on Kubernetes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from stack.kube.engine_pods import ALL_NAMESPACES, ROLE_LABELS, Selection

_OPTIONS = (
    click.option(
        "--kubernetes.selector", "kubernetes_selector", metavar="SELECTOR",
        help="Labels of the engines' pods, such as app=vllm: finds engines on Kubernetes. Needs get, list and watch of pods.",
    ),
    click.option(
        "--kubernetes.lmcache-selector", "kubernetes_lmcache_selector", metavar="SELECTOR",
        help="Labels of the pods that run an LMCache server: the engines' own, for one beside each, or others.",
    ),
    click.option(
        "--kubernetes.lmcache-port", "kubernetes_lmcache_port", default="8080", metavar="PORT",
        help="The HTTP port of those servers: a number, or the name of a port that the pod declares.",
    ),
    click.option(
        "--kubernetes.namespace", "kubernetes_namespaces", multiple=True, metavar="NAMESPACE",
        help=f"Where those pods are; repeatable, {ALL_NAMESPACES} is everywhere; the exporter's own where it is not given.",
    ),
    click.option(
        "--kubernetes.port", "kubernetes_port", default="8000", metavar="PORT",
        help="Their engines' port: a number, or the name of a port that the pod declares.",
    ),
    click.option(
        "--kubernetes.role-label", "kubernetes_role_labels", multiple=True, default=ROLE_LABELS, metavar="LABEL",
        help="Which label says prefill or decode; repeatable, the first that a pod has counts.",
    ),
    click.option(
        "--kubernetes.kubeconfig", "kubernetes_kubeconfig", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
        help="Ask the API server as this file says, not as the pod's service account.",
    ),
)  # fmt: skip


def kubernetes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def engine_pods(given: Mapping[str, Any]) -> Selection | None:
    """Which pods are engines, by the options given; None without a selector."""
    return _selection(given, given["kubernetes_selector"], given["kubernetes_port"])


def cache_pods(given: Mapping[str, Any]) -> Selection | None:
    """Which pods have an LMCache server, by the options given; None without a selector."""
    return _selection(given, given["kubernetes_lmcache_selector"], given["kubernetes_lmcache_port"])


def _selection(given: Mapping[str, Any], selector: str | None, port: str) -> Selection | None:
    if selector is None:
        return None
    return Selection(selector, given["kubernetes_namespaces"], port, given["kubernetes_role_labels"])
