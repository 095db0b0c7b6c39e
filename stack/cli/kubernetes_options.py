"""Options by which engines are found as pods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from stack.wiring.router_options import Pods

# As stack.kube.engine_pods has them, which is not imported for the sake of --help.
_ROLE_LABELS = ("inference.sagemaker.aws.amazon.com/dpd-role", "llm-d.ai/role")
_PORT = click.IntRange(1, 65535)

_OPTIONS = (
    click.option(
        "--kubernetes-selector", metavar="SELECTOR",
        help="Labels of the engines' pods, such as app=vllm: finds engines on Kubernetes, each with the model that it says it "
        "serves. Needs get, list and watch of pods.",
    ),
    click.option(
        "--kubernetes-namespace", "kubernetes_namespaces", multiple=True, metavar="NAMESPACE",
        help="Where those pods are; repeatable, * is everywhere; the router's own where it is not given.",
    ),
    click.option(
        "--kubernetes-port", default="8000", show_default=True, metavar="PORT",
        help="Their engines' port: a number, or the name of a port that the pod declares.",
    ),
    click.option("--kubernetes-kv-events-port", type=_PORT, help="Where engines publish KV events (ZMQ); none is read otherwise."),
    click.option("--kubernetes-replay-port", type=_PORT, help="Where they send KV events again that were missed."),
    click.option(
        "--kubernetes-role-label", "kubernetes_role_labels",
        multiple=True, default=_ROLE_LABELS, show_default=True, metavar="LABEL",
        help="Which label says prefill or decode; repeatable, the first that a pod has counts.",
    ),
    click.option(
        "--kubernetes-kubeconfig", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
        help="Ask the API server as this file says, not as the pod's service account.",
    ),
)  # fmt: skip


def kubernetes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options; their values come as one mapping, `kubernetes`."""

    def with_mapping(**given: Any) -> None:
        kubernetes = {name: given.pop(name) for name in list(given) if name.startswith("kubernetes_")}
        command(**given, kubernetes=kubernetes)

    with_mapping.__doc__ = command.__doc__
    for option in reversed(_OPTIONS):
        with_mapping = option(with_mapping)
    return with_mapping


def selected(given: dict[str, Any]) -> Pods | None:
    """Which pods are engines, by the options given; None without a selector."""
    from stack.kube.engine_pods import Selection
    from stack.wiring.router_options import Pods

    if given["kubernetes_selector"] is None:
        return None
    selection = Selection(
        given["kubernetes_selector"],
        given["kubernetes_namespaces"],
        given["kubernetes_port"],
        given["kubernetes_role_labels"],
        given["kubernetes_kv_events_port"],
        given["kubernetes_replay_port"],
    )
    return Pods(selection, given["kubernetes_kubeconfig"])
