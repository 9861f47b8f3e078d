# %% [markdown]
# # Steady state
#
# When did the drive reach steady state, by which rule, and with what confidence?

# %% tags=["parameters"]
run: str = "latest"  # or a folder, or the beginning of its name; see ssdlab runs
test: str = ""  # iops, tp, lat, wsat...; empty: the one with the most rounds
tracking: str = ""  # a cell, such as "RND 4KiB 0/100"; empty: the last to be steady
metric: str = ""  # iops, bw_bytes_per_s or lat_mean_ns; empty: what the test tracks
rule: str = "pts-2.0.2"  # also tkperf and each-value, for comparison

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
choices = {"test": test, "tracking": tracking, "metric": metric, "rule": rule}
found = ssdlab.steady_state(run, **choices)

# %% [markdown]
# ## Go deeper
#
# `found` has every frame that is drawn above, and each figure is one call. The frames
# keep the units in which fio measures; `readable_table` writes them as people do.

# %%
found

# %%
ssdlab.figures.readable_table(
    found.phases, metric=found.series.metric, caption="Phases of this cell"
)

# %% [markdown]
# Any series can be judged by the rule of the PTS: one value per round, oldest first.

# %%
verdict = ssdlab.assess_steady_state([5776, 5865, 6022, 6160, 6181])
print(f"These five rounds: {'steady' if verdict.is_steady else verdict.reason}")

# %% [markdown]
# A figure for a paper has the width of a column and prints in grey, too.
# `ssdlab.write_image(figure, "tracked.pdf")` saves it, also as PNG or SVG.

# %%
figure = ssdlab.figures.plot_tracked(found.tracked)
ssdlab.figures.publication(figure)
