"""What tests of several rooms share."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["native", "inline"])
def backend(request: pytest.FixtureRequest) -> str:
    """Give each backend in turn."""
    name: str = request.param
    return name
