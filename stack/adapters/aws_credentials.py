"""Whose keys sign requests to Amazon's services."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from stack.adapters.http_config import HttpConfigError, Sigv4
from stack.adapters.sigv4 import Credentials

Keys = Callable[[], Credentials]


def keys(config: Sigv4, environment: Mapping[str, str] = os.environ) -> Keys:
    """Those of the file, else of the environment's variables, else of botocore's chain: profiles, roles, pods, instances.

    Raises HttpConfigError: where botocore is needed and not installed, or finds none.
    """
    fixed = _fixed(config, environment)
    if fixed is not None and config.role_arn is None:
        return lambda: fixed
    try:
        return _botocore(config, fixed)
    except ImportError as error:
        raise HttpConfigError(
            "sigv4: profiles, roles and what pods and instances are lent are botocore's to find: pip install 'kvdeck[aws]';"
            " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY do without"
        ) from error


def _fixed(config: Sigv4, environment: Mapping[str, str]) -> Credentials | None:
    if config.access_key is not None and config.secret_key is not None:
        return Credentials(config.access_key, config.secret_key)
    access, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
    if config.profile is None and access and secret:
        return Credentials(access, secret, environment.get("AWS_SESSION_TOKEN") or None)
    return None


def _botocore(config: Sigv4, fixed: Credentials | None) -> Keys:
    """Raises ImportError, HttpConfigError."""
    from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials
    from botocore.credentials import Credentials as Lent
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.session import Session

    try:
        session = Session(profile=config.profile)
        session.set_config_variable("region", config.region)
        found: Any = session.get_credentials() if fixed is None else Lent(fixed.access_key, fixed.secret_key, fixed.token)
    except BotoCoreError as error:
        raise HttpConfigError(f"sigv4: {error}") from error
    if found is None:
        raise HttpConfigError("sigv4: no credentials: none in the file, the environment, a profile, or from this machine")
    if config.role_arn is not None:
        fetcher = AssumeRoleCredentialFetcher(
            session.create_client, found, config.role_arn, extra_args={"RoleSessionName": "kvdeck"}
        )
        found = DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")

    def now() -> Credentials:
        """Lent keys are renewed before they end."""
        try:
            frozen = found.get_frozen_credentials()
        except (BotoCoreError, ClientError) as error:
            raise HttpConfigError(f"sigv4: {error}") from error
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)

    return now
