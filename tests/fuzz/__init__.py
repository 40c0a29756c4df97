"""Random input at every entry point but HTTP (`make fuzz`): `make fuzz-bytes MINUTES=10`.

Only a word of ours may come out. Whatever else happens is a finding, which is printed with
the bytes that make it again; mended, it becomes a case by name in `tests/hostile`.
"""
