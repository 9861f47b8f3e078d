"""Arrays and frames in, numbers out: steady state, intervals, tests, forecasts."""
