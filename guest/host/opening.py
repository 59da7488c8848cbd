"""One way to open a guest: isolated in a child process, or in this process by explicit choice."""

from pathlib import Path

from guest.limits import GuestLimits
from guest.port import Guest

# Where `python -m guest.build` leaves the artifact; the compiled code lies beside it unless told otherwise.
BUILT = Path(__file__).resolve().parent.parent / "_build"


def open_guest(
    *,
    artifact_dir: Path = BUILT,
    cache_dir: Path | None = None,
    isolated: bool = True,
    limits: GuestLimits = GuestLimits(),  # noqa: B008 - frozen
) -> Guest:
    """A guest that is not started yet; `start()` or the first run does it and raises GuestUnavailable.

    `cache_dir` (created with 0700) receives compiled code when `artifact_dir` holds none that fits this machine;
    without it `artifact_dir` does. `isolated=False` runs programs in threads of this process.
    """
    # Imported here: wasmtime costs 16 MB, which a bot that runs no program doesn't pay.
    if isolated:
        from guest.host.child import ChildGuest

        return ChildGuest(artifact_dir, cache_dir or artifact_dir, limits)
    from guest.host.threads import ThreadGuest

    return ThreadGuest(artifact_dir, cache_dir or artifact_dir, limits)
