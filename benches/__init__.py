"""How fast deciban is, beside its rivals and beside what the machine can do. `README.md` says how to read it."""
