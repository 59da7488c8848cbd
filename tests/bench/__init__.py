"""Benchmarks: each bench_*.py measures one thing against its bare baseline in the same run."""
