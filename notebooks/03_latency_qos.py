# %% [markdown]
# # Latency and quality of service
#
# How long IOs take, up to the last nines, and how sure that is. Everything below comes
# from the histograms that fio kept of every IO (json+): percentiles are read from added
# bins and never averaged. A percentile that too few IOs stand behind says so: it is
# *not supported by N IOs*, and its interval has no upper end.

# %% tags=["parameters"]
run: str = "data/samples/virtual-all"  # a run folder, of ssdlab or imported
test: str = ""  # such as lat or wsat; empty: the first that ran a histogram
workload: str = ""  # first words, such as RND 4KiB 0/100; empty: the first
direction: str = "total"  # or read, write, trim
rounds: str = "window"  # those of the measurement window; all: every round
target: str = "p99.9 ≤ 5 ms at ≥ 1,000 IOPS"  # also p50, mean, max; ns us ms s; 20k
histogram_log: str = ""  # NAME_clat_hist.1.log of fio, or a folder of such logs
latency_log: str = ""  # NAME_lat.1.log of fio, with a line for each IO

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
opened = ssdlab.open_run(run)
tables = (opened.measurements, opened.bins)
windows = ssdlab.analysis.choose_windows(opened.windows, rounds)
series = opened.series
wanted = ssdlab.analysis.parse_qos_target(target)
wrapped = ssdlab.figures.wrapped

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
there = ssdlab.analysis.tabulate_loads(ssdlab.analysis.summarise_loads(*tables))
words = f"All {len(there)} loads of this run: name one in test and workload"
ssdlab.figures.folded_table(there, words)

# %% [markdown]
# ## Histogram and confidence levels
#
# Bars are IOs a bin, the line is the share of IOs up to there. Both axes of the bars
# are logarithmic: a single slow IO can be seen beside a million fast ones.

# %%
curve = ssdlab.analysis.summarise_curve(load)
ssdlab.figures.plot_confidence(curve, levels, rates, title=load.label)

# %% [markdown]
# ## Percentiles and how sure they are
#
# The interval that is claimed, and what stands beside it. *If IOs were independent*:
# order statistics, from the count of IOs alone; the least that must be said. *Between
# rounds*: rounds are independent and the IOs within one may be as alike as they are;
# *worth* is how many independent IOs would tell as much. It is claimed where there are
# three rounds or more. Fewer than 20 rounds do not tell whether one follows the other:
# where they correlate by 0.5 it held the truth in 82 to 90 %. The *bootstrap* draws
# whole rounds again; with five rounds it held the truth in 82 % of simulations, not in
# 95 %, so nothing is claimed of it. All run from edge to edge of fio's bins.

# %%
shown = ssdlab.analysis.tabulate_qos(levels)
ssdlab.figures.plain_table(shown)

# %%
limit_ns = wanted.limit_ns
ssdlab.figures.plot_qos_levels(levels, rates=rates, limit_ns=limit_ns)

# %% [markdown]
# ## The target
#
# *Met* where the whole interval is within the limit, *not met* where it is beyond; else
# it cannot be told from these IOs. The certainty is that of the one-sided interval that
# just reaches the limit.

# %%
print(f"Asked for: {wanted.text}")
answers = ssdlab.analysis.tabulate_verdicts(verdicts)
ssdlab.figures.plain_table(answers)

# %% [markdown]
# ## The nines
#
# The share of IOs that took longer, in the long run and in the rounds of the same
# workload. A line is dotted where too few IOs stand behind it to bound it from above.

# %%
nines = ssdlab.analysis.summarise_curve(*loads)
ssdlab.figures.plot_exceedance(nines, limit_ns=limit_ns)

# %% [markdown]
# ## Reads against writes
#
# Of a mix both directions have histograms of their own; else there is one line.

# %%
sides = ssdlab.analysis.select_directions(load, *tables)
both = ssdlab.analysis.summarise_curve(*sides)
ssdlab.figures.plot_exceedance(both, title=f"Reads and writes: {load.workload}")

# %% [markdown]
# ## Round by round
#
# Each round by itself, all rounds and not those of the window alone. A level is drawn
# in the rounds whose IOs are enough for it.

# %%
every = ssdlab.analysis.select_load(*tables, **choice, kind="cell")
bands = ssdlab.analysis.summarise_percentile_rounds(every)
ssdlab.figures.plot_percentile_rounds(bands, title=every.label)

# %%
ssdlab.figures.plot_percentile_rounds(bands, x="minutes", title=every.label)

# %% [markdown]
# ## Over time
#
# Where IOs were, in each moment; the colour is logarithmic. The best that is there is
# drawn: a log of fio given above, else the rounds, else the log of mean latencies.

# %%
log = ssdlab.read_fio_histogram_log(histogram_log).frame if histogram_log else None
log = ssdlab.read_fio_log(latency_log).each_io() if latency_log else log
timed = every if log is None else load
cells = ssdlab.analysis.summarise_latency_map(timed, series=series, log=log)
print(wrapped(ssdlab.analysis.origin_text(cells, timed)))
ssdlab.figures.plot_latency_map(cells, title=timed.label)
