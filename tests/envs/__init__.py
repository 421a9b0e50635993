"""Environments that tests run in sandboxes, importable by name there."""
