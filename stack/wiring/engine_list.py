"""Where a router reads which engines there are."""

from __future__ import annotations

import os

import httpx

from stack.adapters.model_names import ModelNames
from stack.adapters.target_file import TargetFile
from stack.kube.access import from_kubeconfig, in_cluster
from stack.kube.discovery import EnginePods
from stack.kube.pod_targets import PodTargets
from stack.wiring.router_options import Pods, RouterOptions


def engine_list(options: RouterOptions, http: httpx.AsyncClient) -> TargetFile | PodTargets:
    """The target file, or the pods, that `options` name. Raises AccessError."""
    if not isinstance(options.targets, Pods):
        return TargetFile(options.targets)
    selection, kubeconfig = options.targets.selection, options.targets.kubeconfig
    access = from_kubeconfig(kubeconfig) if kubeconfig else in_cluster(os.environ)
    return PodTargets(lambda: EnginePods(access, selection), ModelNames(http, options.engine_authorization))
