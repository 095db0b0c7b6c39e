"""`kvdeck control`: the control plane's process."""

from __future__ import annotations

from pathlib import Path

import click

from stack.cli.options import alertmanager_config, host_port, prometheus_config

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option("--listen", metavar="HOST:PORT", default="127.0.0.1:8010", show_default=True, callback=host_port)
@click.option("--state-dir", type=click.Path(path_type=Path, file_okay=False), required=True, help="Keeps state and audit log.")
@click.option(
    "--pools",
    type=click.Choice(["supervisor", "kubernetes", "hyperpod", "none"]),
    default="supervisor",
    show_default=True,
    help="What runs the engines: `kvdeck up`, Deployments and StatefulSets, which 'kubernetes:' in --config names, or HyperPod's "
    "operator, by the endpoints that 'hyperpod:' names; none: nothing that control knows, and the engines are those of --targets.",
)
@click.option("--targets", type=_FILE, help="The fleet's target file (Prometheus' file_sd format), with a supervisor or none.")
@click.option("--supervisor-socket", type=_FILE, help="Where a supervisor starts and ends engines.")
@click.option("--kubernetes-port", default="8000", show_default=True, metavar="PORT", help="Engines' port, or its name in pods.")
@click.option("--kubernetes-kubeconfig", type=_FILE, help="Ask the API server as this file says, not as the pod's account.")
@click.option(
    "--hyperpod-live-patching",
    is_flag=True,
    help="Patch strategy, threshold and replicas of InferenceEndpointConfigs. Unverified against the operator; without it they are "
    "only read.",
)
@click.option("--config", type=_FILE, help="YAML with 'desired:', used at the very first start.")
@click.option(
    "--mode",
    type=click.Choice(["observe", "declarative", "live"]),
    envvar="KVDECK_CONTROL_MODE",
    help="observe: nothing is changed by anybody, and no engine touched. declarative: a file says what is desired, and is "
    "followed; the API is read-only. live: the API changes what is desired. Without it: what 'control: {mode: ...}' in "
    "--config says, or live.",
)
@click.option("--desired", type=_FILE, help="The file to follow in declarative mode: YAML with 'desired:'; without it --config.")
@click.option(
    "--run", "run_id", metavar="ID", help="One run of the whole stack: in a new run the configuration wins over what was kept."
)
@click.option("--tokens", type=_FILE, multiple=True, help="Who may do what (`kvdeck token new`); without any, loopback only.")
@click.option("--tls-cert", type=_FILE, help="PEM file of a certificate: answer over HTTPS.")
@click.option("--tls-key", type=_FILE, help="PEM file of its key.")
@click.option("--insecure", is_flag=True, help="Allow tokens over plain HTTP beyond loopback, where a proxy in front encrypts.")
@click.option("--require-comment", is_flag=True, help="Refuse a change that does not say why.")
@click.option(
    "--cache-store",
    metavar="URL",
    envvar="KVDECK_CACHE_STORE",
    show_envvar=True,
    help="The store behind LMCache (redis://...), to know when it evicted. One with a password belongs into the variable: no list "
    "of processes shows it.",
)
@click.option("--drain-timeout", type=click.FloatRange(0), default=300.0, show_default=True, help="Seconds a leaving engine has.")
@click.option("--decisions-dir", type=click.Path(path_type=Path, file_okay=False), help="Keep routing decisions in files there.")
@click.option("--decisions-format", type=click.Choice(["jsonl", "parquet"]), default="jsonl", show_default=True)
@click.option("--decisions-mib", type=click.IntRange(1), default=2048, show_default=True, help="The oldest files go beyond this.")
@click.option("--alertmanager-url", metavar="URL", help="Alerts are read and silenced there; a path prefix is kept.")
@alertmanager_config
@click.option("--prometheus-url", metavar="URL", help="The Prometheus that evaluates the rules: it knows what is pending.")
@prometheus_config
@click.option("--experiments", is_flag=True, help="Allow POST /v1/experiments: a share of the sessions tries a change first.")
def command(
    listen: tuple[str, int],
    state_dir: Path,
    pools: str,
    targets: Path | None,
    supervisor_socket: Path | None,
    kubernetes_port: str,
    kubernetes_kubeconfig: Path | None,
    hyperpod_live_patching: bool,
    config: Path | None,
    mode: str | None,
    desired: Path | None,
    run_id: str | None,
    tokens: tuple[Path, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    insecure: bool,
    require_comment: bool,
    cache_store: str | None,
    drain_timeout: float,
    decisions_dir: Path | None,
    decisions_format: str,
    decisions_mib: int,
    experiments: bool,
    alertmanager_url: str | None,
    alertmanager_config: Path | None,
    prometheus_url: str | None,
    prometheus_config: Path | None,
) -> None:
    """Hold the desired state, steer routers and pools, keep the audit log.

    With --pools none the engines are those that --targets lists, and somebody else starts and stops them. Strategies, thresholds,
    limits and `kvdeck ctl drain` work as everywhere; a pool's `replicas` says how many there are to be: it can only be set to how
    many are listed, and what differs is told as drift.

    On Kubernetes the section `kubernetes:` of --config says which workload runs each pool of each model:

    \b
        kubernetes:
          pools:
            Llama-3.3-70B-Instruct:
              prefill: {name: llama-prefill, kind: StatefulSet}
              decode: {name: llama-decode}      # a Deployment of control's own namespace, unless it says otherwise

    Sizes are set through /scale, and drained pods end first. Whose replicas an autoscaler, Argo CD, Flux or Helm sets is left
    alone; a change of them is refused with what to hand over first.

    On HyperPod the section `hyperpod:` names each model's InferenceEndpointConfig:

    \b
        hyperpod:
          endpoints:
            Llama-3.3-70B-Instruct: {name: llama70b, namespace: inference}   # disaggregated: false without pdSpec

    With --hyperpod-live-patching a change is first tried at the API server (a dry run), whose refusal is the change's; then
    routingStrategy, routingThreshold and the pools' replicas are patched, and nothing else. What the operator's documents call
    immutable is refused: enabling routing later, leaving DPD, more than one decode replica. At its start control brings
    endpoints to what is desired: begin with `kvdeck iec import`. Whether the operator heeds a patch of a running endpoint is
    not verified.
    """
    from stack.adapters import logs
    from stack.adapters.bearer import TokenFileError
    from stack.adapters.http_config import HttpConfigError
    from stack.api.desired_file import DesiredFileError
    from stack.api.guard import NotLoopbackError
    from stack.api.settings import ControlConfigError, ControlSettings, HyperPodPools, KubernetesPools, ListedPools, LocalPools, Tls
    from stack.control.mode import Mode
    from stack.control.opening import NoDesiredStateError
    from stack.control.ports import StoreError
    from stack.control.refusal import RefusedError
    from stack.wiring.control import run

    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    if hyperpod_live_patching and pools != "hyperpod":
        raise click.UsageError("--hyperpod-live-patching is for --pools hyperpod")
    if pools == "none" and (targets is None or supervisor_socket is not None):
        raise click.UsageError("--pools none goes with --targets, which lists the engines, and without --supervisor-socket")
    running: LocalPools | ListedPools | KubernetesPools | HyperPodPools
    if pools == "kubernetes":
        running = KubernetesPools(kubernetes_port, kubernetes_kubeconfig)
    elif pools == "hyperpod":
        running = HyperPodPools(kubernetes_port, kubernetes_kubeconfig, hyperpod_live_patching)
    elif pools == "none" and targets is not None:
        running = ListedPools(targets)
    elif targets is None or supervisor_socket is None:
        raise click.UsageError("a supervisor's engines are known by --targets and --supervisor-socket")
    else:
        running = LocalPools(supervisor_socket, targets)
    logs.configure()
    settings = ControlSettings(
        host=listen[0],
        port=listen[1],
        state_dir=state_dir,
        pools=running,
        config=config,
        mode=None if mode is None else Mode(mode),
        desired=desired,
        run=run_id,
        tokens=tokens,
        tls=None if tls_cert is None or tls_key is None else Tls(tls_cert, tls_key),
        insecure=insecure,
        comment_required=require_comment,
        cache_store=cache_store,
        drain_seconds=drain_timeout,
        decisions_dir=decisions_dir,
        decisions_format=decisions_format,
        decisions_mib=decisions_mib,
        experiments=experiments,
        alertmanager_url=alertmanager_url,
        alertmanager_config=alertmanager_config,
        prometheus_url=prometheus_url,
        prometheus_config=prometheus_config,
    )
    try:
        run(settings)
    except (
        ControlConfigError,
        DesiredFileError,
        HttpConfigError,
        NotLoopbackError,
        TokenFileError,
        NoDesiredStateError,
        RefusedError,
        StoreError,
    ) as error:
        raise click.ClickException(str(error)) from error
