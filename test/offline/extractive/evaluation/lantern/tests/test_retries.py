from lantern.queue.retries import pause_before


def test_the_pause_doubles_and_ends():
    assert [pause_before(attempt) for attempt in range(4)] == [10, 20, 40, None]
