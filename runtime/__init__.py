"""The analyst: capabilities, call boundary, evidence, verification, engines, state. Knows nothing of Slack."""
