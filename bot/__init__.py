"""The Slack face of Footnote: Bolt listeners, rendering, delivery. Knows nothing of SQL."""
