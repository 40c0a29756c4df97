"""Settings every test shares."""

from hypothesis import settings

# No test fails for being slow: on a busy machine that says nothing of the code.
settings.register_profile("arbiter", deadline=None, print_blob=True)
settings.load_profile("arbiter")
