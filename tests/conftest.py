"""Root of the test suite: property tests repeat exactly and measure no time; all else each part brings itself."""

import structlog
from hypothesis import settings

settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")

# With its locals drawn in panels, which is what structlog does by default, one traceback of a run takes seconds.
plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])
