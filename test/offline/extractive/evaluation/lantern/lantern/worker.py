"""A worker process: claims jobs and carries them out."""
import os
import subprocess
import time

from lantern import log, settings
from lantern.queue import leases, store
from lantern.results import keep


def run_forever():
    config = settings.load()
    while True:
        with store.connect() as db:
            job = leases.claim(db, "default", str(os.getpid()))
        if job:
            carry_out(job[0], config.job_timeout)
        else:
            time.sleep(1)


def carry_out(job, timeout):
    """Runs the program of a job and kills it when the time is up."""
    try:
        done = subprocess.run(["lantern-job", job], capture_output=True, timeout=timeout, check=False)
        keep.save(job, done.stdout)
    except subprocess.TimeoutExpired:
        log.warning("job killed after its timeout", job=job, seconds=timeout)
        keep.fail(job, "timeout")
