"""SQLite files as sources: read by a guarded query in a killable worker, never written. The engine is in `engine`: its
workers load this package, and not what the engine needs."""
