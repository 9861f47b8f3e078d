# %% [markdown]
# # Compare drives
#
# Any number of runs side by side: under which conditions they were measured, what each
# drive does, and where one beats another. Every difference has its interval, and a
# verdict holds for the whole table: if nothing differed, at most one comparison in 20
# would name a winner anywhere.
#
# What one run of each shows is claimed of these runs alone. "Beats" and "the same" are
# claimed of the drives, and take drives that were measured several times: three times
# each where two are compared, more where there are more.
#
# A test that a run does not have is said to be missing, and is never 0. Virtual SSDs
# and files are compared as well, and marked. They are left out of the score unless
# `include_virtual` is set.

# %% tags=["parameters"]
runs: str = "data/samples"  # run folders or folders of runs, separated by commas
accept: str = ""  # conditions that count as equal though they differ: kernel, host; all
least_percent: float = 0.0  # what a difference must surely exceed to matter [%]
same_percent: float = 3.0  # within what drives must lie to be called the same [%]
primary: str = ""  # cells declared beforehand as what matters: iops 4 KiB 0/100
control: str = "fwer"  # error rate of the table: fwer (Holm), fdr (Benjamini-Hochberg)
score: str = ""  # your weights, such as iops 4 KiB 0/100: 2, lat mean: 1
watts: str = ""  # power of each drive [W], such as Model A: 6.5, Model B: 5
include_virtual: bool = False  # take virtual SSDs and files into the score

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
# Runs that differ in a condition of measurement are shown beside each other and get no
# verdict: a difference need not be of the drives.

# %%
ssdlab.show_comparison(comparison, "conditions")

# %% [markdown]
# ## Who is better
#
# The ratio of two drives in each cell. Its interval is Student's, after Welch, of the
# logarithm: over runs where a drive of the two was measured again, else over the
# rounds of one run, widened by how much they depend on each other. The verdict uses
# p-values adjusted over all cells and pairs. "No difference shown" is not "the same",
# which is shown by two one-sided tests: look at how wide the interval is.

# %%
ssdlab.show_comparison(comparison, "verdicts")

# %% [markdown]
# ## Write saturation
#
# From the purged state to steady state, over time, over total gigabytes written (TGBW)
# and over drive fills.

# %%
ssdlab.show_comparison(comparison, "saturation")

# %% [markdown]
# ## IOPS
#
# The matrix of block sizes and R/W mixes of each drive, and the ratio of each two.

# %%
ssdlab.show_comparison(comparison, "iops")

# %% [markdown]
# ## Throughput

# %%
ssdlab.show_comparison(comparison, "throughput")

# %% [markdown]
# ## Latency
#
# At one outstanding IO. A percentile is that of all IOs of the window, from merged
# histograms. Where too few IOs stand behind it, or rounds differ too much, to bound it
# on the side of the other drive's, it is not compared. The highest ones stand in a
# table of their own.

# %%
ssdlab.show_comparison(comparison, "latency")

# %% [markdown]
# ## Confidence levels
#
# The nines of all response times of the histogram runs (CLPC), with their intervals.

# %%
ssdlab.show_comparison(comparison, "confidence")

# %% [markdown]
# ## IOPS and response time
#
# What more outstanding IOs bring, and what they cost: demand intensity.

# %%
ssdlab.show_comparison(comparison, "response")

# %% [markdown]
# ## Recovery
#
# What rest gains (HIR), and how long a drive needs after another stimulus (XSR). The
# second happens once a run and has no interval.

# %%
ssdlab.show_comparison(comparison, "recovery")

# %% [markdown]
# ## Efficiency
#
# Rates by watt, where the power is known.

# %%
ssdlab.show_comparison(comparison, "efficiency")

# %% [markdown]
# ## Scatter
#
# How much drives differ from each other against how much a drive differs from one run
# to the next, and what stands far from the others.

# %%
ssdlab.show_comparison(comparison, "scatter")

# %% [markdown]
# ## Score
#
# With your weights, and never without its parts.

# %%
ssdlab.show_comparison(comparison, "score")

# %% [markdown]
# ## By hand
#
# Everything above is in frames: `comparison.differences`, `comparison.summary`,
# `comparison.cells`, `comparison.conditions`, `comparison.variance`. The columns of the
# first:

# %%
print(ssdlab.figures.wrapped(", ".join(comparison.differences.columns)))
