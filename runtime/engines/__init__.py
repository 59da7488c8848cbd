"""Engines: what answers queries. One package per kind of source behind one small port."""
