"""The native backend: what is the same for every episode is done once, in a template process."""

from __future__ import annotations

import itertools
import pickle
import platform
import sys
import warnings
from typing import Any, ClassVar

from rollout_sandbox.backends.base import Backend, Probe
from rollout_sandbox.backends.description import read_description
from rollout_sandbox.backends.native.enforcement import check_limits, enforced_limits
from rollout_sandbox.backends.native.keeper_client import KeeperClient
from rollout_sandbox.backends.native.template import NativeTemplate
from rollout_sandbox.errors import (
    BackendUnavailableError,
    RemoteTraceback,
    SnapshotFallbackWarning,
    TemplateError,
)
from rollout_sandbox.keeper.packets import Op
from rollout_sandbox.recipe import Recipe
from rollout_sandbox.spec import SandboxSpec
from rollout_sandbox.wire.blob import receive_blob, send_blob
from rollout_sandbox.wire.codec import decode
from rollout_sandbox.worker.blueprint import Blueprint

__all__ = ["NativeBackend"]

_STRENGTH = "Linux namespaces, seccomp, no privileges; the kernel is shared"
_FIX = (
    "Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces > 0, "
    "kernel.apparmor_restrict_unprivileged_userns=0), or run as root with CAP_SYS_ADMIN"
)


class NativeBackend(Backend):
    """Episodes in native Linux containers, without daemon and image."""

    name: ClassVar[str] = "native"
    isolates: ClassVar[bool] = True

    def __init__(self) -> None:
        self._keepers: dict[SandboxSpec, KeeperClient] = {}
        self._template_numbers = itertools.count(1)
        self._sandbox_numbers = itertools.count(1)

    @classmethod
    def probe(cls) -> Probe:
        """Try to start a keeper, which needs everything that a sandbox needs."""
        if not sys.platform.startswith("linux"):
            return Probe(False, _STRENGTH, f"this is {platform.system()}", "Use Linux, or the docker backend")
        try:
            KeeperClient(SandboxSpec()).close()
        except BackendUnavailableError as error:
            return Probe(False, _STRENGTH, error.message, _FIX)
        return Probe(True, _STRENGTH, enforced=enforced_limits())

    def prepare(self, spec: SandboxSpec, recipe: Recipe) -> NativeTemplate:
        """Build the environment once, in a fresh process.

        An environment that cannot be copied faithfully is built in every episode instead, with a warning.

        :raises TemplateError: if the environment could not be built.
        :raises BackendUnavailableError: if this machine refuses what sandboxes need.
        """
        number, answer = self._make_template(spec, Blueprint(recipe, environment=dict(spec.environment)))
        shared = answer["shared"]
        if shared and spec.snapshot == "env":
            warnings.warn(_fallback_message(shared), SnapshotFallbackWarning, stacklevel=2)
        if shared or spec.snapshot == "imports":
            self._keepers[spec].order(Op.RETIRE, number)
            number = self._make_importing_template(spec, recipe, answer["modules"])
        description = read_description(answer)
        return NativeTemplate(self._keepers[spec], number, description, self._sandbox_numbers)

    def _make_importing_template(self, spec: SandboxSpec, recipe: Recipe, modules: list[str]) -> int:
        environment = dict(spec.environment)
        blueprint = Blueprint(recipe, construct=False, modules=tuple(modules), environment=environment)
        return self._make_template(spec, blueprint)[0]

    def _make_template(self, spec: SandboxSpec, blueprint: Blueprint) -> tuple[int, dict[str, Any]]:
        keeper = self._keepers.get(spec)
        if keeper is None:
            check_limits(spec)
            keeper = self._keepers[spec] = KeeperClient(spec)
        number = next(self._template_numbers)
        with keeper.connect(Op.PREPARE, number) as stream:
            stream.settimeout(spec.timeouts.start)
            try:
                send_blob(stream, pickle.dumps(blueprint))
                answer = decode(receive_blob(stream))
            except TimeoutError:
                raise TemplateError(_slow_message(spec.timeouts.start)) from None
            except ConnectionError:
                raise TemplateError(
                    "the process that builds the environment ended while doing so, "
                    "see its last words on standard error"
                ) from None
        if "error" in answer:
            raise TemplateError(
                f"the environment could not be built: {answer['error']}"
            ) from RemoteTraceback(answer["traceback"])
        return number, answer

    def close(self) -> None:
        """End every process of every run of this backend; harmless when repeated."""
        for keeper in self._keepers.values():
            keeper.close()


def _slow_message(timeout: float) -> str:
    return (
        f"the environment was not built within {timeout:g} s: "
        "give more with SandboxSpec(timeouts=Timeouts(start=...)), or look at what its constructor waits for"
    )


def _fallback_message(shared: list[str]) -> str:
    return (
        f"after construction the environment holds {', '.join(shared)}, which copies of the process would "
        "share: it is constructed in every episode instead (slower). "
        'Open such things in reset(), or write SandboxSpec(snapshot="imports") to accept this'
    )
