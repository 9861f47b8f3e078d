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
load_seconds: float = 0  # such as 2: of each load of the last section, measured anew
runs: str = "data/runs"  # where that run is kept

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

# %% [markdown]
# ## Latency at a given load
#
# The loads above are *closed loops*: an IO is submitted when another has completed, so
# a slow drive is asked for less. Clients do not wait for each other: their IOs are due
# at times of their own, an *open loop*. Behind a slow IO others are due, and wait; a
# closed loop never submits them, and what it leaves out is the worst (coordinated
# omission).
#
# The virtual SSD shows it, because its queue is known. Controller and link serve one IO
# at a time: a read of 4 KiB takes them 100 μs and 4096 B / 200 MB/s, so at most 8,300
# are served in a second. Reads that are due at random (Poisson) wait on average as long
# as in the queue M/D/1:
#
#     W = u / (1 - u) · s / 2,   with s = 120 μs and u = IOPS · s
#
# `load_seconds = 2` measures closed loops of 1 to 32 outstanding IOs and 32 clients at
# five rates on a virtual SSD, in a minute. On a drive: `ssdlab run TARGET --suite
# example:loops`.

# %%
loops = load_seconds and ssdlab.run_jobs(
    "virtual", "example:loops", seconds=load_seconds, rounds=2, runs=runs
)
if loops:
    ssdlab.show_overview(loops)

# %% [markdown]
# Mean latency of the open loops, and how long an IO waits in M/D/1 at the rate that was
# reached. The rest is the read of a page, 80 μs, and this host.

# %%
if loops:
    rates = loops.measurements.query("direction == 'total' and threads == 32")
    means = rates.groupby("test")[["iops", "lat_mean_ns"]].mean().sort_values("iops")
    busy = means["iops"] * 120.5e-6
    means["busy_percent"] = 100 * busy
    means["waits_ns"] = 60.2e3 * busy / (1 - busy)
means.round(1) if loops else None
