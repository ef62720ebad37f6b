"""Recurring jobs, written as in crontab."""
from datetime import datetime, timedelta


def next_run(expression, after):
    """Returns the next minute that fits `minute hour weekday`, each a number or `*`."""
    moment = after.replace(second=0, microsecond=0)
    for _ in range(7 * 24 * 60):
        moment += timedelta(minutes=1)
        if fits(expression.split(), moment):
            return moment
    raise ValueError(f"{expression!r} never fits")


def fits(fields, moment: datetime):
    values = (moment.minute, moment.hour, moment.isoweekday())
    return all(field in ("*", str(value)) for field, value in zip(fields, values))
