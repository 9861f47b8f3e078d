# %% [markdown]
# # A fleet of drives
#
# What a store of runs says of one workload of its drives: how they differ, which are
# far off, whether another firmware is slower, how they age, and what was left out.

# %% tags=["parameters"]
store: str = ""  # folder or s3://BUCKET/PREFIX; empty: a small one of the sample runs
cell: str = ""  # first words of a workload: RND 4KiB 0/100; empty: that of most drives
test: str = ""  # empty: that of most drives
metric: str = ""  # iops, bw, or of latency mean, p50, p99, p99.9, p99.99, p99.999
direction: str = "total"  # total, read, write or trim
by: str = ""  # group drives by model, firmware or host; empty: firmware or model
accept: str = ""  # conditions that may differ: kernel, neighbours; or all

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
choices = {"cell": cell, "test": test, "metric": metric, "direction": direction}
fleet = ssdlab.summarise_fleet(store, **choices, by=by, accept=accept)
ssdlab.show_fleet(fleet, "answer")

# %% [markdown]
# Drives are the sample; the runs of a drive are its repeats. What was not measured is
# missing, never 0, and runs under other conditions are never pooled.

# %%
ssdlab.show_fleet(fleet, "outliers", "firmware")

# %%
ssdlab.show_fleet(fleet, "ageing", "history")

# %%
ssdlab.show_fleet(fleet, "latency")

# %%
ssdlab.show_fleet(fleet, "left out", "coverage")

# %% [markdown]
# ## By hand
#
# All results are available as frames: `fleet.drives`, `fleet.groups`, `fleet.odd`,
# `fleet.firmwares`, `fleet.ageing`, `fleet.changes`, `fleet.coverage`, and `fleet.runs`
# with the reason for each run that is left out:

# %%
fleet.runs["left_out"].value_counts()
