"""What travels between a trainer and a sandbox; nothing else reads bytes that a sandbox wrote."""
