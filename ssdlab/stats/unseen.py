"""What an interval between rounds cannot show: events that hit none of them."""


def unseen_ratio(rounds: int, *, confidence_percent: float = 95.0) -> float:
    """Return how rare an event may be and still have hit one of the rounds.

    It is the share of rounds ``q`` for which the chance ``(1 - q)**rounds`` to miss all
    is what the confidence leaves. Nothing is known of events that hit fewer.

    >>> [round(unseen_ratio(rounds), 4) for rounds in (1, 5, 25, 60)]
    [0.95, 0.4507, 0.1129, 0.0487]
    """
    spared: float = (1 - confidence_percent / 100) ** (1 / rounds)
    return 1 - spared


def unseen_text(rounds: int, *, confidence_percent: float = 95.0) -> str:
    """Return what so many rounds cannot show, in words.

    >>> unseen_text(5)
    '5 rounds show nothing of what hits fewer than 45 % of rounds'
    """
    ratio = unseen_ratio(rounds, confidence_percent=confidence_percent)
    return (
        f"{rounds} rounds show nothing of what hits fewer than {100 * ratio:.2g} % "
        "of rounds"
    )
