# %% [markdown]
# # Steady state
#
# When did the drive become steady, by which rule, and how sure is that? First the
# verdict of the PTS, which alone is normative. Then, apart from it, what lies beyond
# its rule: that accepts a range of 20 % and a slope of 10 %, so on a drive that still
# falls it may say yes early. A run that is going on can be opened as well; its forecast
# is at the end.

# %% tags=["parameters"]
run: str = "data/samples/virtual-all"  # a run folder, of ssdlab or imported
test: str = ""  # iops, tp, lat, wsat...; empty: the one with the most rounds
tracking: str = ""  # a cell, such as "RND 4KiB 0/100"; empty: the one steady last
metric: str = ""  # iops, bw_bytes_per_s or lat_mean_ns; empty: what the test tracks
rule: str = "pts-2.0.2"  # also tkperf and each-value: others' rules, to compare

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
# All tracking variables of the test have to be steady in the same window: the range at
# most 20 % of the average, the slope excursion at most 10 % (PTS 2.0.2, 2.1.24). A
# window is of five rounds; of long series, such as write saturations, of five samples,
# one in so many rounds.

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
# The window by the rule that was chosen, its average and limits, the least-squares line
# and about it the band that holds the true line with 95 % confidence, if neighbouring
# rounds are alike by a process of first order. Below, range and slope of every window.

# %%
fit = ssdlab.analysis.summarise_fit(series, rule)
ssdlab.figures.plot_window_fit(series, fit, rule=rule)

# %%
windows = ssdlab.analysis.summarise_windows(series, rule)
ssdlab.figures.plot_window_ratios(windows, rule=rule)

# %% [markdown]
# ## Beyond the PTS
#
# From here on: advice, not a verdict. Averages and lines are those of the PTS, plain
# least squares; their intervals, of 95 %, allow for neighbours that are alike by a
# process of first order. What they do not cover stands below, and in notes.

# %%
print(wrapped(ssdlab.analysis.steadiness_text(series, rule)))

# %% [markdown]
# ### Fresh, in transition, steady
#
# Change points part the rounds where their level changes; lone stalls do not. Steady
# rounds are cut in vain
# in 3 of 100 series of 25 rounds that correlate by 0.3, in 34 of 100 if by 0.8.

# %%
phases = ssdlab.analysis.summarise_phases(series)
ssdlab.figures.plot_phases(series, phases)

# %% [markdown]
# ### Steady from which round, by which rule
#
# MSER-5 and change points know the whole series; the rules by windows only what was
# measured until then.

# %%
onsets = ssdlab.analysis.summarise_onsets(series)
ssdlab.figures.plot_onsets(onsets)

# %%
shown = onsets.drop(columns=["rule", "is_normative"])
show(shown, caption="This cell by each rule; that of the PTS is normative", **unit)

# %% [markdown]
# Each cell of the test by itself: the round after which a rule calls it steady first.
# TKperf is asked of its own numbers where it takes the cell.

# %%
asked = {"test": series.test, "metric": metric}
cells = ssdlab.analysis.summarise_rule_differences(*frames, **asked)
differing = cells[cells["is_differing"]].drop(columns="is_differing")
show(differing, caption="Cells where the rules differ")

# %%
show(cells, caption="Every cell; each can be named in tracking", is_folded=True)

# %% [markdown]
# ### If another window counted
#
# What would be reported instead, and how much the level still drifts over a window.

# %%
ssdlab.figures.plot_window_means(windows, metric=series.metric)

# %%
shown = windows.drop(columns="reason")
show(shown, caption="Every window of this cell", is_folded=True, **unit)

# %% [markdown]
# ### How sure, and what more rounds would bring
#
# The error of the slope allows for neighbouring rounds that are alike. The count of
# more rounds is a rough guide: of made series about half need more than the estimate,
# and its interval, often without an end, holds what came in 98 of 100 or more.

# %%
precision = ssdlab.analysis.summarise_precision(series, rule)
show(precision, caption="Average, slope and drift", **unit)

# %% [markdown]
# ## How many rounds are still needed
#
# Foretold after each round as if the run had ended there, by futures drawn from one or
# two decays to a level with noise, for all tracking variables at once. After few rounds
# the interval has often no upper end: a slow part may still come.

# %%
beside = ssdlab.analysis.take_tracked_series(*frames, like=series)
forecast = ssdlab.analysis.forecast_steady_state(beside, rule)
print(wrapped(ssdlab.analysis.forecast_text(beside, forecast, rule)))
ssdlab.figures.plot_forecast(forecast, sample_every=series.sample_every)

# %%
show(forecast.tail(8), caption="The last forecasts", **unit)
