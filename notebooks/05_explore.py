# %% [markdown]
# # Explore
#
# Pick runs, a test, a metric, a cell; the three figures follow. A click on a cell of
# the matrix shows its rounds, its response times, its fio job and what fio said; a
# click on a point of the rounds shows the job of that round. A run that still goes on
# is read while it grows.
#
# `runs` is a folder of runs. In Voilà (`voila 05_explore.ipynb`) the notebook is a page
# without its code.

# %% tags=["parameters"]
runs: str = "data/samples"  # a folder of runs, such as data/runs
run: str = ""  # the folder of the run that is shown first; empty: the newest
test: str = ""  # the test that is shown first; empty: its first
metric: str = "iops"  # or bw_bytes_per_s, lat_mean_ns, lat_p9999_ns, lat_max_ns
refresh_s: float = 2.0  # how often a run that goes on is looked at [s]

# %%
import ssdlab

ssdlab.require_known_parameters(globals())

# %% [markdown]
# ## Look
#
# What is saved is what is on the screen: PNG and SVG are made in the browser, CSV has
# the rows behind the figure, and Code is a cell that makes the same figure from the
# run's tables, to be pasted anywhere.

# %%
explorer = ssdlab.explore(runs, run=run, test=test, metric=metric, refresh_s=refresh_s)
explorer

# %% [markdown]
# ## Take away
#
# The same figures as plotly objects, their rows as frames, and their code:
# `explorer.figure("cell")`, `explorer.frame("cell")`, `explorer.code("cell")`, also for
# `"matrix"` and `"histogram"`. `ssdlab.write_image(explorer.figure("cell"), "a.pdf")`
# saves one, also as PNG or SVG, where a Chromium or Chrome is installed.
# What follows is what the explorer showed when this cell ran, for pages made of it.

# %%
explorer.show_stills()
