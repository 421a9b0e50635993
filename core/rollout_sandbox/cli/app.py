"""Puts the commands together."""

from __future__ import annotations

import typer

from rollout_sandbox.cli.doctor import doctor
from rollout_sandbox.cli.replay import replay
from rollout_sandbox.cli.train import train

__all__ = ["app"]

app = typer.Typer(
    help="Reinforcement learning in which every episode runs in its own fresh container.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
for command in (train, doctor, replay):
    app.command()(command)
