"""Root of the test suite: property tests are repeatable and measure no time; everything else each part brings itself."""

from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")
