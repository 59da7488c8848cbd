"""The workspace engine: local files as tables, ingested once per content and queried in a limited worker."""
