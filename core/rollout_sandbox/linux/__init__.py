"""System calls: the only room that uses ctypes. It knows nothing of environments or sandboxes."""
