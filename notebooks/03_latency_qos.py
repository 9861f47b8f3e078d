# %% [markdown]
# # Latency and quality of service
#
# How long do IOs take, up to the high percentiles, and with what confidence? Everything
# below comes from fio's histograms of all IOs (json+): percentiles are computed from
# merged bins, never averaged. A percentile from too few IOs is marked *not supported by
# N IOs*, and its interval has no upper bound.

# %% tags=["parameters"]
run: str = "data/samples/virtual-all"  # a run folder, of ssdlab or imported
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
opened = ssdlab.open_run(run)
tables = (opened.measurements, opened.bins)
windows = ssdlab.analysis.choose_windows(opened.windows, rounds)
series = opened.series
wanted = ssdlab.analysis.parse_qos_target(target)
show, wrapped = ssdlab.figures.readable_table, ssdlab.figures.wrapped

# %%
choice = {"test": test, "workload": workload, "direction": direction}
load = ssdlab.analysis.select_loads(*tables, windows, **choice)[0]
choice = {"test": load.test, "workload": load.workload, "direction": direction}
loads = ssdlab.analysis.select_loads(*tables, windows, **choice)
rates = ssdlab.analysis.summarise_load(load)
levels = ssdlab.analysis.summarise_qos(load, series=series)
verdicts = ssdlab.analysis.assess_loads(loads, wanted, series=series)

# %%
print(wrapped(ssdlab.analysis.run_text(opened.record)))
print(wrapped(ssdlab.analysis.claim_text(load, levels)))
print(wrapped(ssdlab.analysis.targets_text(verdicts)))

# %%
listed = ssdlab.analysis.tabulate_loads(ssdlab.analysis.summarise_loads(*tables))
caption = f"All {len(listed)} loads of this run; select one with test and workload"
show(listed, caption=caption, is_folded=True)

# %% [markdown]
# ## Histogram and confidence levels
#
# Bars are IOs per bin; the line is the cumulative share of IOs. Both axes of the bars
# are logarithmic, so that a single slow IO is visible next to a million fast ones.

# %%
curve = ssdlab.analysis.summarise_curve(load)
ssdlab.figures.plot_confidence(curve, levels, rates, title=load.label)

# %% [markdown]
# ## Percentiles and their intervals
#
# The claimed interval, next to alternatives. *If IOs were independent*: order
# statistics, from the number of IOs alone; a lower limit of the uncertainty. *Between
# rounds*: rounds are independent, while IOs within a round may be correlated; the
# effective sample size (*ESS*) is how many independent IOs would be as informative.
# This one is claimed with three rounds or more. Fewer than 20 rounds do not show
# whether rounds are correlated: with an autocorrelation of 0.5 it held the truth in 82
# to 90 %. The *bootstrap* resamples whole rounds; with five rounds it held the truth in
# 82 % of simulations, not in 95 %, so it is not claimed. All intervals end at edges of
# fio's bins.

# %%
shown = ssdlab.analysis.tabulate_qos(levels)
show(shown)

# %%
limit_ns = wanted.limit_ns
ssdlab.figures.plot_qos_levels(levels, rates=rates, limit_ns=limit_ns)

# %% [markdown]
# ## The target
#
# *Met* if the whole interval is within the limit, *not met* if it is beyond; otherwise
# these IOs do not decide it. The confidence is that of the one-sided interval that just
# reaches the limit.

# %%
print(f"Target: {wanted.text}")
answers = ssdlab.analysis.tabulate_verdicts(verdicts)
show(answers)

# %% [markdown]
# ## The nines
#
# The share of IOs that took longer, in the histogram run and in the rounds of the same
# workload. A line is dotted where there are too few IOs to bound it from above.

# %%
nines = ssdlab.analysis.summarise_curve(*loads)
ssdlab.figures.plot_exceedance(nines, limit_ns=limit_ns)

# %% [markdown]
# ## Reads against writes
#
# In a mix, reads and writes have separate histograms; otherwise there is one line.

# %%
sides = ssdlab.analysis.select_directions(load, *tables)
both = ssdlab.analysis.summarise_curve(*sides)
ssdlab.figures.plot_exceedance(both, title=f"Reads and writes: {load.workload}")

# %% [markdown]
# ## Round by round
#
# Each round by itself, not only those of the measurement window. A percentile is drawn
# for the rounds that have enough IOs.

# %%
every = ssdlab.analysis.select_load(*tables, **choice, kind="cell")
bands = ssdlab.analysis.summarise_percentile_rounds(every)
ssdlab.figures.plot_percentile_rounds(bands, title=every.label)

# %%
ssdlab.figures.plot_percentile_rounds(bands, x="minutes", title=every.label)

# %% [markdown]
# ## Over time
#
# The distribution of response times over time, on a logarithmic colour scale. It uses
# the best available source: a fio log given above, the rounds, or the log of mean
# latencies.

# %%
log = ssdlab.read_fio_histogram_log(histogram_log).frame if histogram_log else None
log = ssdlab.read_fio_log(latency_log).each_io() if latency_log else log
timed = every if log is None else load
cells = ssdlab.analysis.summarise_latency_map(timed, series=series, log=log)
print(wrapped(ssdlab.analysis.origin_text(cells, timed)))
ssdlab.figures.plot_latency_map(cells, title=timed.label)
