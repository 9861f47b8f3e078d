# %% [markdown]
# # Compare drives
#
# Any number of runs side by side: which drive is faster, by how much, and whether that
# is shown for the drives or only for these runs.

# %% tags=["parameters"]
runs: str = ""  # folders, separated by commas; empty: data/runs, or the samples
accept: str = ""  # conditions that may differ: kernel, host; or all
least_percent: float = 0.0  # ignore differences smaller than this [%]
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
ssdlab.show_comparison(comparison, "answer")

# %% [markdown]
# With no true differences, 1 in 20 comparisons would report a winner. No difference
# shown is not evidence of equality: “the same” is a claim of its own. What was not
# measured is missing, never 0, and what nobody measured has no heading.

# %%
ssdlab.show_comparison(comparison, "verdicts")

# %%
ssdlab.show_comparison(comparison, "iops", "throughput", "latency", "saturation")

# %%
ssdlab.show_comparison(comparison, "confidence", "response", "recovery")

# %%
ssdlab.show_comparison(comparison, "amplification", "efficiency", "score")

# %%
ssdlab.show_comparison(comparison, "conditions", "scatter", "method")

# %% [markdown]
# ## By hand
#
# All results are available as frames: `comparison.differences`, `comparison.summary`,
# `comparison.cells`, `comparison.conditions`, `comparison.variance`. The first has the
# columns:

# %%
comparison.differences.columns
