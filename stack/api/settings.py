"""What the control process is told at its start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stack.control.mode import Mode
from stack.control.reconcile import Patience


class ControlConfigError(ValueError):
    """Control cannot start as it was told to; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Tls:
    """PEM files of the certificate, with those it rests on, and of its key."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class LocalPools:
    """The supervisor runs the engines: its socket, and the target file that it writes."""

    socket: Path
    targets: Path


@dataclass(frozen=True, slots=True)
class ListedPools:
    """Nothing that control knows runs the engines: they are those of the target file."""

    targets: Path


@dataclass(frozen=True, slots=True)
class KubernetesPools:
    """Deployments and StatefulSets run the engines, which listen at `port`; the configuration says which.

    The API server is asked as `kubeconfig` says, None is as control's own pod.
    """

    port: str = "8000"
    kubeconfig: Path | None = None


@dataclass(frozen=True, slots=True)
class HyperPodPools(KubernetesPools):
    """HyperPod's operator runs the engines; the configuration says by which InferenceEndpointConfig.

    Those are patched only with `live_patching`, which is unverified against the operator.
    """

    live_patching: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlSettings:
    """What `kvdeck control` is told: where to listen, what runs the engines, and how many seconds a leaving engine is waited for.

    Who may do what is in the files `tokens`; without any only loopback is listened at, which `insecure` lets go unencrypted
    elsewhere.

    `comment_required`: a change must say why.

    Decisions are kept in files in `decisions_dir`, which never take more than `decisions_mib`; None keeps none.
    `cache_store` is the address of the store that all cache servers share.
    `mode` says whether what is desired may be changed at all, None where the configuration does; `desired` is the file that
    says what is desired in declarative mode.
    Alerts are asked of the Alertmanager and the Prometheus at `alertmanager_url` and `prometheus_url`, None: nobody said where;
    the files `alertmanager_config` and `prometheus_config` say how they want to be asked.
    `experiments`: they may be begun, and go on after a restart.
    `run` names one run of the whole stack: in a new one the configured state wins over the one kept.
    """

    host: str
    port: int
    state_dir: Path
    pools: LocalPools | ListedPools | KubernetesPools | HyperPodPools
    config: Path | None = None
    mode: Mode | None = None
    desired: Path | None = None
    run: str | None = None
    tokens: tuple[Path, ...] = ()
    tls: Tls | None = None
    insecure: bool = False
    comment_required: bool = False
    cache_store: str | None = None
    drain_seconds: float = Patience().drain
    decisions_dir: Path | None = None
    decisions_format: str = "jsonl"
    decisions_mib: int = 2048
    experiments: bool = False
    alertmanager_url: str | None = None
    alertmanager_config: Path | None = None
    prometheus_url: str | None = None
    prometheus_config: Path | None = None

    @property
    def followed(self) -> Path | None:
        """The file that says what is desired for as long as control runs; None where none does."""
        return (self.desired or self.config) if self.mode is Mode.DECLARATIVE else None
