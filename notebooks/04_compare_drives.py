# %% [markdown]
# # Compare drives
#
# Any number of runs side by side: their conditions, the results of each drive, and
# where one drive beats another. Every difference has an interval, and the error rate
# holds for the whole table: if nothing differed, at most one comparison in 20 would
# name a winner anywhere.
#
# With one run per drive, claims are about these runs only. "Beats" and "the same" are
# claims about the drives, and need drives that were measured several times: three times
# each if two are compared, more if there are more.
#
# A test that a run lacks is reported as missing, never as 0. Virtual SSDs and files are
# compared too, and marked; they are left out of the score unless `include_virtual` is
# set.

# %% tags=["parameters"]
runs: str = "data/samples"  # run folders or folders of runs, separated by commas
accept: str = ""  # conditions that may differ: kernel, host; or all
least_percent: float = 0.0  # smallest difference that matters [%]
same_percent: float = 3.0  # largest difference at which drives count as the same [%]
primary: str = ""  # cells declared in advance as primary: iops 4 KiB 0/100
control: str = "fwer"  # error rate of the table: fwer (Holm), fdr (Benjamini-Hochberg)
score: str = ""  # your weights, such as iops 4 KiB 0/100: 2, lat mean: 1
watts: str = ""  # power of each drive [W], such as Model A: 6.5, Model B: 5
include_virtual: bool = False  # include virtual SSDs and files in the score

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
choices = {"accept": accept, "least_percent": least_percent, "score": score}
choices |= {"same_percent": same_percent, "primary": primary, "control": control}
choices |= {"watts": watts, "include_virtual": include_virtual}
comparison = ssdlab.compare_runs(runs, **choices)

# %% [markdown]
# ## Conditions
#
# Runs whose conditions differ are shown side by side without a verdict, as a difference
# need not be due to the drives.

# %%
ssdlab.show_comparison(comparison, "conditions")

# %% [markdown]
# ## Which drive is faster
#
# The ratio of two drives in each cell. Its interval is a Welch t interval of the
# logarithm: over runs if either drive was measured repeatedly, otherwise over the
# rounds of one run, widened for their autocorrelation. The verdict uses p-values
# adjusted over all cells and pairs. "No difference shown" does not mean "the same",
# which takes two one-sided tests (TOST): look at the width of the interval.

# %%
ssdlab.show_comparison(comparison, "verdicts")

# %% [markdown]
# ## Write saturation
#
# From FOB to steady state, over time, total gigabytes written (TGBW) and drive fills.

# %%
ssdlab.show_comparison(comparison, "saturation")

# %% [markdown]
# ## IOPS
#
# The matrix of block sizes and R/W mixes of each drive, and the ratio of each pair.

# %%
ssdlab.show_comparison(comparison, "iops")

# %% [markdown]
# ## Throughput

# %%
ssdlab.show_comparison(comparison, "throughput")

# %% [markdown]
# ## Latency
#
# At one outstanding IO. A percentile covers all IOs of the measurement window, from
# merged histograms. It is not compared if there are too few IOs, or rounds differ too
# much, to bound it towards that of the other drive. The highest ones are in a separate
# table.

# %%
ssdlab.show_comparison(comparison, "latency")

# %% [markdown]
# ## Confidence levels
#
# The percentiles of all response times of the histogram runs (CLPC), with intervals.

# %%
ssdlab.show_comparison(comparison, "confidence")

# %% [markdown]
# ## IOPS and response time
#
# Throughput gained and response time lost with more outstanding IOs: demand intensity.

# %%
ssdlab.show_comparison(comparison, "response")

# %% [markdown]
# ## Recovery
#
# The gain from host idle time (HIR), and the recovery time after another stimulus
# (XSR), which occurs once per run and so has no interval.

# %%
ssdlab.show_comparison(comparison, "recovery")

# %% [markdown]
# ## Efficiency
#
# Performance per watt, where the power is known.

# %%
ssdlab.show_comparison(comparison, "efficiency")

# %% [markdown]
# ## Scatter
#
# The variation between drives compared with the variation between runs of a drive, and
# outliers.

# %%
ssdlab.show_comparison(comparison, "scatter")

# %% [markdown]
# ## Score
#
# By your weights, always shown with its components.

# %%
ssdlab.show_comparison(comparison, "score")

# %% [markdown]
# ## By hand
#
# All results are available as frames: `comparison.differences`, `comparison.summary`,
# `comparison.cells`, `comparison.conditions`, `comparison.variance`. The first has the
# columns:

# %%
print(ssdlab.figures.wrapped(", ".join(comparison.differences.columns)))
