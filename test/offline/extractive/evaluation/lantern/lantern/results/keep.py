"""Results of jobs, kept for some days as compressed files."""
import gzip
import json
import pathlib

FOLDER = pathlib.Path("results")
MAX_RESULT_BYTES = 10 * 1024 * 1024


def save(job, output):
    """Stores the output; what exceeds MAX_RESULT_BYTES is cut off."""
    with gzip.open(path_of(job), "wb") as file:
        file.write(output[:MAX_RESULT_BYTES])


def fail(job, reason):
    save(job, json.dumps({"failed": reason}).encode())


def find(job):
    path = path_of(job)
    return {"output": gzip.open(path).read().decode()} if path.exists() else None


def path_of(job):
    """Refuses an id that would leave the folder, also through a symbolic link."""
    path = (FOLDER / f"{job}.gz").resolve()
    if not path.is_relative_to(FOLDER.resolve()):
        raise ValueError("the result lies outside the folder")
    return path
