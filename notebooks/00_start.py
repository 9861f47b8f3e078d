# %% [markdown]
# # Start
#
# ssdlab measures solid state drives as the SNIA PTS asks, with fio, and shows what the
# numbers are worth. Run all cells: the five pictures are drawn from a sample run, a
# virtual SSD in memory that behaves as a drive does.
#
# | Notebook | For |
# | --- | --- |
# | [01 Run the PTS](01_run_pts.ipynb) | measure: the virtual SSD as it is, 4 minutes |
# | [02 Steady state](02_steady_state.ipynb) | when a drive got steady, and how surely |
# | [03 Latency](03_latency_qos.ipynb) | percentiles, and whether a target is met |
# | [04 Compare drives](04_compare_drives.ipynb) | which drive is better, by how much |
# | [05 Explore](05_explore.ipynb) | every cell of every run, by clicks |
# | [06 A fleet](06_fleet.ipynb) | how many drives differ, and which are far off |

# %% tags=["parameters"]
sample: str = "data/samples/virtual-all"
others: str = "data/samples"  # two drives of it are compared
runs: str = ""  # what is listed; empty: data/runs, or the samples if that is empty

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
run = ssdlab.open_run(sample)
frames = (run.measurements, run.windows, run.steps)
tables = (run.measurements, run.percentiles, run.windows)

# %% [markdown]
# ### 1 · A fresh drive is fast, until it has to collect garbage
#
# Random writes from the purge on: the fresh level, the cliff, the steady state. The
# report of a run ([01](01_run_pts.ipynb)) begins with numbers of the steady state.

# %%
saturation = ssdlab.analysis.summarise_saturation(
    run.measurements, run.steps, percentiles=run.percentiles
)
ssdlab.figures.plot_saturation(saturation, x="drive_fills")

# %% [markdown]
# ### 2 · IOPS depend on block size and mix
#
# Every cell of the IOPS test. In [05](05_explore.ipynb) a click on a cell shows its
# rounds.

# %%
cells = ssdlab.analysis.tabulate_cells(*tables)
cells = ssdlab.analysis.select_rounds(cells, test="iops", rounds="samples")
axes = ("read_percent", "block_size_bytes")
matrix = ssdlab.analysis.summarise_cells(cells, "iops", axes=axes, bins=run.bins)
ssdlab.figures.plot_cell_map(matrix, "iops", axes=axes)

# %% [markdown]
# ### 3 · Only a steady drive is measured
#
# Five rounds within ±10 % of their average, and no slope: [02](02_steady_state.ipynb).

# %%
tracked = ssdlab.analysis.summarise_tracked(*frames, test="iops")
ssdlab.figures.plot_tracked(tracked, title="Steady state of the IOPS test")

# %% [markdown]
# ### 4 · The slowest IOs matter
#
# How many IOs take longer than so many milliseconds: [03](03_latency_qos.ipynb).

# %%
loads = ssdlab.analysis.select_loads(run.measurements, run.bins, test="lat")
ssdlab.figures.plot_exceedance(ssdlab.analysis.summarise_curve(*loads[:4]))

# %% [markdown]
# ### 5 · Drives differ, or do not
#
# The same load on two drives. [04](04_compare_drives.ipynb) says what is a difference.

# %%
one = ssdlab.open_run(f"{others}/virtual-a")
two = ssdlab.open_run(f"{others}/virtual-b")
tabulate, stack = ssdlab.analysis.tabulate_cells, ssdlab.analysis.stack_frames
first = tabulate(one.measurements, one.percentiles, one.windows)
second = tabulate(two.measurements, two.percentiles, two.windows)
pair = stack({"make A": first, "make B": second})
pair = ssdlab.analysis.select_rounds(pair, test="wsat")
drives, title = {"make A": "make A", "make B": "make B"}, "Random writes of two drives"
ssdlab.figures.plot_cell_rounds(pair, "iops", drives=drives, title=title)

# %% [markdown]
# ### Your runs, and first steps
#
# In a terminal: `ssdlab doctor` checks whether this host is fit for benchmarking,
# `ssdlab devices` lists drives, `ssdlab plan TARGET` says what a run would cost. A
# click on a head sorts the table.

# %%
listed = ssdlab.show_runs(runs)
