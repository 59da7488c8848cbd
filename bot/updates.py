"""Opens the update engines of the databases whose rows may be changed, over the journal of the state."""

from __future__ import annotations

from bot.sources import OpenSources
from runtime.admission.manifest import PostgresqlSource
from runtime.clock import Clock
from runtime.engines.update_port import UpdateEngine, UpdateEngines
from runtime.state import Effects


def open_updates(opened: OpenSources, effects: Effects, clock: Clock) -> UpdateEngines:
    """The engines, not connected: they connect for each change anew. Raises ConfigurationError for an address that is
    none."""
    engines = dict[str, UpdateEngine]()
    for source in opened.manifest.sources:
        if isinstance(source, PostgresqlSource) and source.updates:
            from runtime.engines.postgresql.updates import PostgresqlUpdates  # its driver is loaded where it is used

            reads = opened.databases[source.id]
            engines[source.id] = PostgresqlUpdates.open(source, reads.structure, effects, opened.limits, clock)
    return UpdateEngines(engines, effects)
