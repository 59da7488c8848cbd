"""Alembic's entry: the connection comes from the caller, who also owns the transaction."""

from alembic import context

from runtime.state.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,
    render_as_batch=True,
)
context.run_migrations()
