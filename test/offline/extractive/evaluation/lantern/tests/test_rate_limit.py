import pytest

from lantern.http import errors, rate_limit


def test_the_caller_above_the_limit_is_refused():
    for _ in range(rate_limit.REQUESTS_PER_MINUTE):
        rate_limit.count("me", now=lambda: 0)
    with pytest.raises(errors.Refused):
        rate_limit.count("me", now=lambda: 0)
