"""What to build in a sandbox."""

from rollout_sandbox.recipe.monitor import MonitorRecipe
from rollout_sandbox.recipe.recipe import Recipe
from rollout_sandbox.recipe.resolve import EnvArgument, Resolved, resolve

__all__ = ["EnvArgument", "MonitorRecipe", "Recipe", "Resolved", "resolve"]
