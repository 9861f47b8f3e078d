"""fio by a clock that it need not measure first.

The clock that fio takes where nothing is said is that of the processor. At each start
it measures how fast that one runs, which takes 60 ms of the processor.
"""

CLOCK = "--clocksource=clock_gettime"
