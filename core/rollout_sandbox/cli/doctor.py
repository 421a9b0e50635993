"""``rollout-sandbox doctor``: what works on this machine."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from rollout_sandbox.backends import available
from rollout_sandbox.backends.base import Probe

__all__ = ["doctor"]


def _enforced(probe: Probe) -> str:
    names = [name for name, enforced in probe.enforced.items() if enforced]
    missing = [name for name, enforced in probe.enforced.items() if not enforced]
    return ", ".join(names + [f"not {name}" for name in missing]) or "nothing"


def doctor() -> None:
    """Say which backends work here, how strongly they isolate, and what to do where one does not."""
    table = Table("backend", "works", "isolation", "limits enforced", "what to do", title="what works here")
    isolating = False
    for name, backend in sorted(available().items()):
        probe = backend.probe()
        isolating |= probe.available and backend.isolates
        works = "yes" if probe.available else f"no: {probe.reason}"
        table.add_row(name, works, probe.strength, _enforced(probe), probe.fix or "nothing")
    Console().print(table)
    raise typer.Exit(0 if isolating else 1)
