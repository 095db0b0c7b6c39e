"""Every component of a stack besides its engines, in the order they are shown."""

from __future__ import annotations

from stack.local.components.control import control
from stack.local.components.dashboard import dashboard
from stack.local.components.emulator import emulator
from stack.local.components.exporter import exporter
from stack.local.components.lmcache import configured_l1, lmcache
from stack.local.components.monitoring import alertmanager, prometheus
from stack.local.components.router import router
from stack.local.components.site import Site
from stack.local.components.store import store
from stack.local.components.traffic import traffic
from stack.local.spec import Spec
from stack.model.tier import Pool


def components(site: Site) -> list[Spec]:
    """The store and LMCache come with real engines only; Prometheus and Alertmanager where they are to be had."""
    there = site.launch.installed
    memory = [emulator(site)] if there.store is None else [store(site, there.store), lmcache(site, configured_l1(site))]
    watchers = [] if there.monitoring is None else [prometheus(site, there.monitoring), alertmanager(site, there.monitoring)]
    services = [router(site), control(site), exporter(site), *watchers, dashboard(site)]
    return [*memory, *services, *([traffic(site, first_engines(site))] if site.launch.traffic else [])]


def first_engines(site: Site) -> tuple[str, ...]:
    """One engine of each pool: with those every path can be taken."""
    return tuple(f"{pool}-0" for pool, replicas in engine_counts(site).items() if replicas)


def engine_counts(site: Site) -> dict[Pool, int]:
    """How many engines each pool begins with."""
    pools = site.launch.config.pools
    return {Pool.PREFILL: pools.prefill.replicas, Pool.DECODE: pools.decode.replicas}
