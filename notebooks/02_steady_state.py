# %% [markdown]
# # Steady state
#
# When did the drive reach steady state, by which rule, and with what confidence? The
# verdict of the PTS comes first; it alone is normative. The rest goes beyond its rule,
# which accepts a range of 20 % and a slope of 10 %, and so may accept a drive whose
# performance is still falling. A run in progress can be opened too; its forecast is at
# the end.

# %% tags=["parameters"]
run: str = "data/samples/virtual-all"  # a run folder, of ssdlab or imported
test: str = ""  # iops, tp, lat, wsat...; empty: the one with the most rounds
tracking: str = ""  # a cell, such as "RND 4KiB 0/100"; empty: the last to be steady
metric: str = ""  # iops, bw_bytes_per_s or lat_mean_ns; empty: what the test tracks
rule: str = "pts-2.0.2"  # also tkperf and each-value, for comparison

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
opened = ssdlab.open_run(run)
frames = (opened.measurements, opened.windows, opened.steps)
choices = {"test": test, "tracking": tracking, "metric": metric}
series = ssdlab.analysis.take_round_series(*frames, **choices)
unit = {"metric": series.metric, "sample_every": series.sample_every}
show, wrapped = ssdlab.figures.readable_table, ssdlab.figures.wrapped
print(wrapped(opened.standing))

# %% [markdown]
# ## The verdict of the PTS
#
# All tracking variables of the test must be steady in the same window: the range at
# most 20 % of the average, the slope excursion at most 10 % (PTS 2.0.2, 2.1.24). A
# window has five rounds; in long series, such as write saturation, it has five samples,
# taken at a fixed interval of rounds.

# %%
spec = opened.record.asked.spec_version
text = ssdlab.analysis.pts_verdict_text(opened.windows, series.test, spec)
print(wrapped(text))
table = ssdlab.analysis.summarise_determination(opened.windows, series.test)
ssdlab.figures.determination_table(table)

# %%
tracked = ssdlab.analysis.summarise_tracked(*frames, test=series.test)
ssdlab.figures.plot_tracked(tracked)

# %%
table = ssdlab.analysis.summarise_judgements(opened.windows, series.test)
show(table, caption="Every window judged, and why it failed", is_folded=True)

# %% [markdown]
# ## One cell over the rounds
#
# The window by the selected rule, with its average, limits and least-squares line. The
# band around the line holds the true line with 95 % confidence if rounds follow a
# first-order autoregressive process. Below, range and slope of every window.

# %%
fit = ssdlab.analysis.summarise_fit(series, rule)
ssdlab.figures.plot_window_fit(series, fit, rule=rule)

# %%
windows = ssdlab.analysis.summarise_windows(series, rule)
ssdlab.figures.plot_window_ratios(windows, rule=rule)

# %% [markdown]
# ## Beyond the PTS
#
# From here on, results are advice, not a verdict. Averages and lines are those of the
# PTS (ordinary least squares); their 95 % intervals allow for first-order
# autocorrelation of the rounds. What they do not cover is stated below and in notes.

# %%
print(wrapped(ssdlab.analysis.steadiness_text(series, rule)))

# %% [markdown]
# ### Fresh, in transition, steady
#
# Change points (PELT) split the rounds where their level changes; single stalls do not.
# A series of 25 steady rounds is split by mistake in 3 of 100 cases if its
# autocorrelation is 0.3, in 34 of 100 if it is 0.8.

# %%
phases = ssdlab.analysis.summarise_phases(series)
ssdlab.figures.plot_phases(series, phases)

# %% [markdown]
# ### First steady round, by rule
#
# MSER-5 and change points use the whole series; the window rules use only the rounds
# measured so far.

# %%
onsets = ssdlab.analysis.summarise_onsets(series)
ssdlab.figures.plot_onsets(onsets)

# %%
shown = onsets.drop(columns=["rule", "is_normative"])
show(shown, caption="This cell by each rule; the PTS rule is normative", **unit)

# %% [markdown]
# For each cell of the test, the first round after which a rule finds it steady. The
# rule of TKperf uses its own numbers where TKperf measures the cell.

# %%
choice = {"test": series.test, "metric": metric}
cells = ssdlab.analysis.summarise_rule_differences(*frames, **choice)
differing = cells[cells["is_differing"]].drop(columns="is_differing")
show(differing, caption="Cells where the rules differ")

# %%
show(cells, caption="Every cell; select one with tracking", is_folded=True)

# %% [markdown]
# ### Results of other windows
#
# What would be reported instead, and how much the level still drifts within a window.

# %%
ssdlab.figures.plot_window_means(windows, metric=series.metric)

# %%
shown = windows.drop(columns="reason")
show(shown, caption="Every window of this cell", is_folded=True, **unit)

# %% [markdown]
# ### Precision, and the gain from more rounds
#
# The standard error of the slope allows for autocorrelation. The number of further
# rounds is a rough guide: about half of simulated series need more than the estimate,
# and its interval, often unbounded, holds the true number in at least 98 of 100.

# %%
precision = ssdlab.analysis.summarise_precision(series, rule)
show(precision, caption="Average, slope and drift", **unit)

# %% [markdown]
# ## Rounds still needed
#
# Forecast after each round as if the run had ended there, from simulated futures: one
# or two decays to a level, plus noise, for all tracking variables at once. After few
# rounds the interval often has no upper bound, as a slow decay may follow.

# %%
tracked = ssdlab.analysis.take_tracked_series(*frames, like=series)
forecast = ssdlab.analysis.forecast_steady_state(tracked, rule)
print(wrapped(ssdlab.analysis.forecast_text(tracked, forecast, rule)))
ssdlab.figures.plot_forecast(forecast, sample_every=series.sample_every)

# %%
show(forecast.tail(8), caption="The last forecasts", **unit)
