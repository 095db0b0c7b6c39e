"""Live changes under load, one after another, and what must hold of every single one."""
