"""What tests and demos of any package may use: clocks that stand still, models that follow a script, an endpoint."""
