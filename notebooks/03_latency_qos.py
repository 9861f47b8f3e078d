# %% [markdown]
# # Latency and quality of service
#
# How long IOs take, up to the last nines, and how sure that is. Everything below comes
# from the histograms that fio kept of every IO (json+): percentiles are read from added
# bins and never averaged. A percentile that too few IOs stand behind says so: it is
# *not supported by N IOs*, and its interval has no upper end.
#
# Run it with papermill, `ssdlab qos` for the tables alone, or by hand: change a
# parameter and run all cells again.

# %% tags=["parameters"]
run: str = "data/samples/virtual-all"  # a run folder, of ssdlab or imported
test: str = ""  # such as lat or wsat; empty: the first that ran a histogram
workload: str = ""  # first words, such as RND 4KiB 0/100; empty: the first
direction: str = "total"  # or read, or write
rounds: str = "window"  # those of the measurement window; all: every round
target: str = "p99.9 ≤ 5 ms at ≥ 1,000 IOPS"  # also p50, mean, max; ns us ms s; 20k
histogram_log: str = ""  # fio's NAME_clat_hist.N.log of the same load, if there is one

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
opened = ssdlab.open_run(run)
tables = (opened.measurements, opened.bins)
windows = opened.windows if rounds == "window" else None
series = opened.series

# %% [markdown]
# ## What can be looked at
#
# Each row is a load: a workload in one phase of one test. Loads of kind *histogram* are
# one long run; those of kind *cell* are rounds, which tell how much a drive differs
# from one minute to the next.

# %%
there = ssdlab.analysis.summarise_loads(*tables)
there.style.format(escape="html", thousands=",").hide()

# %%
choice = {"test": test, "workload": workload, "direction": direction}
load = ssdlab.analysis.select_loads(*tables, windows, **choice)[0]
choice = {"test": load.test, "workload": load.workload, "direction": direction}
loads = ssdlab.analysis.select_loads(*tables, windows, **choice)
rates = ssdlab.analysis.summarise_load(load)
wanted = ssdlab.analysis.parse_qos_target(target)
print(load.label)

# %% [markdown]
# ## Histogram and confidence levels
#
# Bars are IOs a bin, the line is the share of IOs up to there. Both axes of the bars
# are logarithmic: a single slow IO can be seen beside a million fast ones.

# %%
levels = ssdlab.analysis.summarise_qos(load, series=series)
curve = ssdlab.analysis.summarise_curve(load)
ssdlab.figures.plot_confidence(curve, levels, rates, title=load.label)

# %% [markdown]
# ## Percentiles and how sure they are
#
# Two intervals. *If IOs were independent*: order statistics, from the count of IOs
# alone; the least that must be said. *Between rounds*: rounds are independent and the
# IOs within one may be as alike as they are; *worth* is how many independent IOs would
# tell as much. It is claimed where there are three rounds or more. Both run from edge
# to edge of fio's bins.

# %%
print(ssdlab.analysis.claim_text(load, levels))
shown = ssdlab.analysis.tabulate_qos(levels)
shown.style.format(escape="html").hide()

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
verdicts = ssdlab.analysis.assess_loads(loads, wanted, series=series)
print(f"Asked for: {wanted.text}")
answers = ssdlab.analysis.tabulate_verdicts(verdicts)
answers.style.format(escape="html").hide()

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
# Each round by itself, all rounds and not those of the window alone. A line is dotted
# where the IOs of one round are too few for the level.

# %%
every = ssdlab.analysis.select_load(*tables, **choice, kind="cell")
bands = ssdlab.analysis.summarise_percentile_rounds(every)
ssdlab.figures.plot_percentile_rounds(bands, title=every.label)

# %%
ssdlab.figures.plot_percentile_rounds(bands, x="minutes", title=every.label)

# %% [markdown]
# ## Over time
#
# Where IOs were, in each moment; the colour is logarithmic.

# %%
log = ssdlab.read_fio_histogram_log(histogram_log).frame if histogram_log else None
cells = ssdlab.analysis.summarise_latency_map(every, series=series, histogram_log=log)
print(ssdlab.analysis.origin_text(cells))
ssdlab.figures.plot_latency_map(cells, title=every.label)
