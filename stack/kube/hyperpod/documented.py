"""What is known of the operator by its own documents, and by whose word."""

from __future__ import annotations

DPD_PAGE = "docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-model-deployment-dpd.html"
REDIS_ISSUE = "github.com/aws/sagemaker-hyperpod-cli/issues/431"

DECODERS_MAX = 1
ONE_DECODER = f"HyperPod's documentation allows one decode replica for each endpoint ({DPD_PAGE})"
NEVER_LEAVES_DPD = f"an endpoint leaves DPD as a new InferenceEndpointConfig without pdSpec only ({DPD_PAGE})"
NEVER_ADDED = "adding or enabling it is rejected for a deployment there is (the CRD's descriptions of it)"
NEVER_MODIFIED = "once set it cannot be modified (the CRD's description of it)"
OWN_RESOURCES = f"not heeded for pools of pdSpec, which have their own ({DPD_PAGE})"

# That a running endpoint follows a patch of these fields is in none of them.
UNVERIFIED = "unverified against the operator"
