"""Random input at every entry point but HTTP (`tests.fuzz.http`): `python -m tests.fuzz.run`.

Only a word of ours may come out. Whatever else happens is a finding, which is printed with
the bytes that make it again; mended, it becomes a case by name in `tests/hostile`.
"""
