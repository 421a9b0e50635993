"""What runs inside a sandbox."""
