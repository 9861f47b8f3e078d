# %% [markdown]
# # Steady state
#
# When did the drive become steady, by which rule, and how sure is that? First what the
# run itself says by the rule of the PTS, which alone is normative. Then, apart from
# it, what lies beyond that rule: it accepts a range of 20 % and a slope of 10 %, so on
# a drive that still falls it may say yes early.

# %% tags=["parameters"]
run: str = "data/samples/virtual-all"  # a run folder, of ssdlab or imported
test: str = ""  # iops, tp, lat, wsat...; empty: the first that has rounds
tracking: str = ""  # a cell, such as "RND 4 KiB 0/100"; empty: a tracking variable
metric: str = ""  # iops, bw_bytes_per_s or lat_mean_ns; empty: what the test tracks
rule: str = "pts-2.0.2"  # also tkperf and each-value: others' rules, to compare

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
opened = ssdlab.open_run(run)
frames = (opened.measurements, opened.windows, opened.steps)
choices = {"test": test, "tracking": tracking, "metric": metric}
series = ssdlab.analysis.take_round_series(*frames, **choices)
chosen = {"metric": series.metric}

# %% [markdown]
# ## The verdict of the PTS
#
# The determination data of every tracking variable of the test in the window that the
# run reports: all of them have to be steady in the same rounds. The range may be 20 %
# of the average, the slope excursion 10 % (PTS 2.0.2, 2.1.24).

# %%
table = ssdlab.analysis.summarise_determination(opened.windows, series.test)
ssdlab.figures.readable_table(table, **chosen).set_index("tracking").T

# %% [markdown]
# Every window that the run judged, and why the earlier ones failed.

# %%
table = ssdlab.analysis.summarise_judgements(opened.windows, series.test)
ssdlab.figures.readable_table(table, **chosen)

# %% [markdown]
# ## One cell over the rounds
#
# The window by the rule that was chosen, its average and limits, the least-squares line
# and the 95 % band that holds the true line, allowing for rounds that are alike.
# Other cells of the test can be named in `tracking`.

# %%
fit = ssdlab.analysis.summarise_fit(series, rule)
ssdlab.figures.plot_window_fit(series, fit, rule=rule)

# %%
windows = ssdlab.analysis.summarise_windows(series, rule)
ssdlab.figures.plot_window_ratios(windows, rule=rule)

# %%
cells = ssdlab.analysis.list_round_series(*frames[:2], test=series.test)
cells[["tracking", "phase", "rounds", "is_tracked"]]

# %% [markdown]
# ## Beyond the PTS
#
# Advice, not a verdict. An interval is one of 95 %; its note says what it cannot be
# trusted for.

# %%
print(ssdlab.analysis.steadiness_text(series, rule))

# %% [markdown]
# ### Fresh, in transition, steady
#
# Change points part the rounds where their level changes.

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
ssdlab.figures.readable_table(onsets.drop(columns="rule"), **chosen)

# %% [markdown]
# ### If another window counted
#
# What would be reported of rounds 4 - 8 or 5 - 9 instead, and how much the level still
# drifts over a window.

# %%
ssdlab.figures.plot_window_means(windows, **chosen)

# %%
ssdlab.figures.readable_table(windows, **chosen)

# %% [markdown]
# ### How sure, and what more rounds would bring
#
# The error of the slope allows for neighbouring rounds that are alike. With fewer than
# ten rounds the data do not tell how alike they are. The stationarity test (KPSS) is
# weak: a large transient passes it.

# %%
precision = ssdlab.analysis.summarise_precision(series, rule)
ssdlab.figures.readable_table(precision, **chosen)

# %% [markdown]
# ## How many rounds are still needed
#
# Foretold after each round as if the run had ended there, by futures drawn from a decay
# to a level with noise; of this cell alone. While a run goes on, `ssdlab ingest RUN`
# brings its tables up to date; the last row then looks ahead.

# %%
forecast = ssdlab.analysis.forecast_steady_state(series, rule)
ssdlab.figures.plot_forecast(forecast)

# %%
ssdlab.figures.readable_table(forecast.tail(8))
