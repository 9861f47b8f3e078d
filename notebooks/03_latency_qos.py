# %% [markdown]
# # Latency and quality of service
#
# How long do IOs take, up to the high percentiles, and with what confidence?

# %% tags=["parameters"]
run: str = "latest"  # or a folder, or the beginning of its name; see ssdlab runs
test: str = ""  # such as lat or wsat; empty: the first that has a histogram
workload: str = ""  # how it begins, such as RND 4KiB 0/100; empty: the first
direction: str = "total"  # or read, write, trim
rounds: str = "window"  # window: rounds of the measurement window; all: every round
target: str = "p99.9 ≤ 5 ms at ≥ 1,000 IOPS"  # also p50, mean, max; ns us ms s; 20k
histogram_log: str = ""  # fio's NAME_clat_hist.1.log, or a folder of such logs
latency_log: str = ""  # fio's NAME_lat.1.log, with one line per IO

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
choices = {"test": test, "workload": workload, "direction": direction}
choices |= {"rounds": rounds, "target": target}
choices |= {"histogram_log": histogram_log, "latency_log": latency_log}
found = ssdlab.latency_qos(run, **choices)

# %% [markdown]
# ## Go deeper
#
# `found` has every frame that is drawn above, and each figure is one call. The frames
# have nanoseconds and counts of IOs, as fio has measured them.

# %%
found

# %%
found.levels[["marker", "lat_ns", "low_ns", "high_ns", "is_supported"]]

# %% [markdown]
# The loads of a test, up to seven, against another target and side by side.

# %%
tables = (found.run.measurements, found.run.bins)
loads = ssdlab.analysis.select_loads(*tables, found.run.windows, test=found.load.test)
other = ssdlab.analysis.parse_qos_target("p99 ≤ 2 ms")
answers = ssdlab.analysis.assess_loads(loads[:7], other, series=found.run.series)
shown = ssdlab.analysis.tabulate_verdicts(answers)
ssdlab.figures.readable_table(shown, caption=f"Target: {other.text}")

# %%
nines = ssdlab.analysis.summarise_curve(*loads[:7])
title = f"{found.load.test.upper()}: how many IOs are slower"
ssdlab.figures.plot_exceedance(nines, title=title)
