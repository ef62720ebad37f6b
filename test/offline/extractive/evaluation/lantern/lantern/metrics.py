"""Counters and durations in the text format of Prometheus."""
from collections import Counter

jobs_total = Counter()
BUCKETS_SECONDS = (0.1, 1, 10, 60, 300)


def observe(state, seconds):
    jobs_total[state] += 1
    for bound in BUCKETS_SECONDS:
        if seconds <= bound:
            jobs_total[f"le_{bound}"] += 1


def render():
    return "\n".join(f'lantern_jobs_total{{state="{state}"}} {count}' for state, count in sorted(jobs_total.items()))
