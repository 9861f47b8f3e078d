# %% [markdown]
# # Explore
#
# Click a run, then a cell of the matrix: its rounds, response times, fio job and raw
# output follow. A run in progress is updated as it grows.

# %% tags=["parameters"]
runs: str = ""  # a folder of runs; empty: data/runs, or the samples where it has none
run: str = "latest"  # the run shown first: its folder or name; latest: finished last
test: str = ""  # test shown first; empty: the first of that run
metric: str = "iops"  # or bw_bytes_per_s, lat_mean_ns, lat_p9999_ns, lat_max_ns
refresh_s: float = 2.0  # how often a run in progress is read [s]

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
explorer = ssdlab.explore(runs, run=run, test=test, metric=metric, refresh_s=refresh_s)
explorer

# %% [markdown]
# A click on a head of the list sorts the runs; Ctrl or Shift selects several, which are
# compared. PNG and SVG save a figure as on screen, CSV its data, and Code shows a cell
# that makes it again from the tables of the run.
#
# ## Export
#
# The same figures as plotly objects, their rows as frames, and their code:
# `explorer.figure("cell")`, `explorer.frame("cell")`, `explorer.code("cell")`, also for
# `"matrix"` and `"histogram"`. `ssdlab.write_image(explorer.figure("cell"), "a.pdf")`
# saves one, also as PNG or SVG, if Chromium or Chrome is installed.
#
# The figures below are what the explorer showed when this cell ran; a saved notebook
# and an exported page have them. In Voilà (`voila 05_explore.ipynb`) the notebook is a
# page without its code.

# %%
explorer.show_stills()
