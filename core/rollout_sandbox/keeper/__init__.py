"""The one parent of a run's templates and sandboxes.

Light: it imports the standard library and ``linux`` only.
"""
