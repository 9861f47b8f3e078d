"""How sure a number is: intervals, tests and forecasts over plain arrays."""
