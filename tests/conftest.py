"""Root of the test suite: property tests repeat exactly and measure no time; all else each part brings itself."""

from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")
