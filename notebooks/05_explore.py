# %% [markdown]
# # Explore
#
# Select runs, a test, a metric and a cell; the three figures follow. Click a cell of
# the matrix to see its rounds, response times, fio job and raw output; click a point of
# the rounds to see the job of that round. A run in progress is updated as it grows.
#
# `runs` is a folder of runs. In Voilà (`voila 05_explore.ipynb`) the notebook is a page
# without its code.

# %% tags=["parameters"]
runs: str = "data/samples"  # a folder of runs, such as data/runs
run: str = ""  # folder of the run shown first; empty: the newest
test: str = ""  # test shown first; empty: the first of that run
metric: str = "iops"  # or bw_bytes_per_s, lat_mean_ns, lat_p9999_ns, lat_max_ns
refresh_s: float = 2.0  # how often a run in progress is read [s]

# %%
import ssdlab

ssdlab.require_known_parameters(globals())

# %% [markdown]
# ## Look
#
# PNG and SVG save the figure as on screen, CSV saves its data, and Code shows a cell
# that reproduces the figure from the run's tables, to paste anywhere.

# %%
explorer = ssdlab.explore(runs, run=run, test=test, metric=metric, refresh_s=refresh_s)
explorer

# %% [markdown]
# ## Export
#
# The same figures as plotly objects, their rows as frames, and their code:
# `explorer.figure("cell")`, `explorer.frame("cell")`, `explorer.code("cell")`, also for
# `"matrix"` and `"histogram"`. `ssdlab.write_image(explorer.figure("cell"), "a.pdf")`
# saves one, also as PNG or SVG, if Chromium or Chrome is installed. The figures below
# are what the explorer showed when this cell ran; exported pages contain them.

# %%
explorer.show_stills()
