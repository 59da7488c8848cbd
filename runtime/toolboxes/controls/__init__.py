"""The two controls: finding and loading the tools of this run."""
