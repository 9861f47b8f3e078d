"""What an interval between rounds cannot know: what struck none of them."""


def unseen_ratio(rounds: int, *, confidence_percent: float = 95.0) -> float:
    """Return how rare a thing may be and still have struck one of the rounds.

    The share of rounds ``q`` of which ``(1 - q)**rounds`` are spared in as few
    cases as the confidence leaves. Of what strikes fewer, nothing is known.

    >>> [round(unseen_ratio(rounds), 4) for rounds in (1, 5, 25, 60)]
    [0.95, 0.4507, 0.1129, 0.0487]
    """
    spared: float = (1 - confidence_percent / 100) ** (1 / rounds)
    return 1 - spared


def unseen_text(rounds: int, *, confidence_percent: float = 95.0) -> str:
    """Say what so many rounds cannot know.

    >>> unseen_text(5)
    '5 rounds say nothing of what strikes fewer than 45 % of rounds'
    """
    ratio = unseen_ratio(rounds, confidence_percent=confidence_percent)
    return (
        f"{rounds} rounds say nothing of what strikes fewer than {100 * ratio:.2g} % "
        "of rounds"
    )
