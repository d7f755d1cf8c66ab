"""How fast deciban is, beside its rivals and what the machine can do, and how good. `README.md` says how to read it."""
