"""Looking for input that the parsers do not stand: ``make fuzz``.

Two ways, side by side: hypothesis builds input by steps, and atheris keeps what
reaches new code. Both hold what was read against `fuzz.invariants`.
"""
