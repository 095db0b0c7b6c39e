"""How an InferenceEndpointConfig starts engines, and where their weights come from."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from stack.kube.hyperpod.part import Count, Object, OneOrMore, Part


class RequestLimits(Part, frozen=True):
    """Of the proxy beside each engine."""

    max_concurrent_requests: OneOrMore | None = None
    max_queue_size: Count | None = None
    overflow_status_code: Annotated[int, msgspec.Meta(ge=400, le=599)] = 429


class InvocationPort(Part, frozen=True):
    container_port: Annotated[int, msgspec.Meta(ge=1, le=65535)]
    name: Annotated[str, msgspec.Meta(pattern="^http$|^grpc$")] = "http"


class VolumeMount(Part, frozen=True):
    name: str
    mount_path: str = "/opt/ml/model"


class Variable(Part, frozen=True):
    name: str
    value: str | None = None
    value_from: Object | None = None


class Worker(Part, frozen=True):
    """How engines are started; where they are disaggregated `resources` are the roles' own."""

    image: str
    model_invocation_port: InvocationPort
    model_volume_mount: VolumeMount
    resources: Object
    args: list[str] | None = None
    command: list[str] | None = None
    working_dir: str | None = None
    environment_variables: list[Variable] | None = None
    probes: Object | None = None
    request_limits: RequestLimits | None = None


class S3Storage(Part, frozen=True):
    bucket_name: str
    region: str


class FsxStorage(Part, frozen=True):
    file_system_id: str
    dns_name: str | None = None
    mount_name: str | None = None


class HuggingFaceModel(Part, frozen=True):
    model_id: Annotated[str, msgspec.Meta(pattern=r"^[a-zA-Z0-9_.-]+/[a-zA-Z0-9_.-]+$")]
    commit_sha: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")] | None = msgspec.field(default=None, name="commitSHA")
    token_secret_ref: Object | None = None


class ModelSource(Part, frozen=True):
    model_source_type: Literal["fsx", "s3", "huggingface", "kubernetesVolume"]
    model_location: str | None = None
    prefetch_enabled: bool = False
    s3_storage: S3Storage | None = None
    fsx_storage: FsxStorage | None = None
    hugging_face_model: HuggingFaceModel | None = None
