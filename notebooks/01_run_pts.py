# %% [markdown]
# # Run the SNIA SSS PTS
#
# This notebook takes a drive from fresh-out-of-box to steady state through the tests
# of the SNIA Solid State Storage Performance Test Specification: purge,
# preconditioning, rounds until steady, measurement window, report. Every byte that fio
# says is kept; every number below can be followed back to it.
#
# Run it with papermill, `ssdlab run`, or by hand. A target may have options:
# `virtual:size=256MiB,op=12` or `file:PATH,size=1GiB`. A run that was stopped goes on
# with `resume` set to its folder. A test that was not asked for says so below.

# %% tags=["parameters"]
target: str = "virtual"  # virtual, file:PATH, /dev/...; with options: see above
profile: str = "demo"  # one that `ssdlab profiles` lists, or a TOML file of your own
tests: str = "iops,tp,lat,wsat"  # also hir, xsr, cbw, dirth; all: all of the profile
runs: str = "data/runs"
run_folder: str = ""  # a folder of its own instead of a new one in `runs`
label: str = ""
confirm_serial: str = ""  # the serial of a drive: consent that it is erased
purge: str = "auto"  # or one of what `ssdlab purge TARGET --list` shows, or none
temperature_limit: float = 0.0  # stop above it [°C]; 0: the drive's own limit
seed: int = 0  # 0 draws one; it is recorded
host_ceiling: bool = False  # measure first, for a minute, what this host can issue
resume: str = ""  # the folder of a run to go on with
more_rounds: int = 0  # then: so many more for rounds that are not steady

# %%
import ssdlab

ssdlab.require_known_parameters(globals())

# %% [markdown]
# ## Measure
#
# The bar shows the share of the longest time that the tests can take; a test ends as
# soon as its tracking variables are steady. Interrupting the kernel stops fio cleanly
# and keeps what is done.

# %%
choices = {"runs": runs, "run_folder": run_folder, "label": label, "seed": seed}
choices |= {"host_ceiling": host_ceiling, "purge": purge}
choices |= {"temperature_limit": temperature_limit}
always = {"confirm_serial": confirm_serial, "tell": ssdlab.show_progress()}
run = (
    ssdlab.resume_run(resume, more_rounds=more_rounds, **always)
    if resume
    else ssdlab.run_suite(target, profile, tests, **always, **choices)
)

# %% [markdown]
# ## What was measured
#
# The verdict of each test, and whether the run conforms to the PTS.

# %%
ssdlab.show_overview(run)

# %% [markdown]
# ## IOPS
#
# Random IOPS over R/W mixes and block sizes, rounds until the tracking variables are
# steady in the same five rounds (PTS section 7).

# %%
ssdlab.show_test(run, "iops")

# %% [markdown]
# ## Throughput
#
# Sequential reads and writes, each block size from its own purge (PTS section 8).

# %%
ssdlab.show_test(run, "tp")

# %% [markdown]
# ## Latency
#
# Response times at one outstanding IO, and their distribution (PTS section 9).

# %%
ssdlab.show_test(run, "lat")

# %% [markdown]
# ## Write saturation
#
# Continuous random writes from the purged state: the fall from the fresh-out-of-box
# peak to steady state (PTS section 10).

# %%
ssdlab.show_test(run, "wsat")

# %% [markdown]
# ## Optional write saturations
#
# PTS 2.0 has four more stimuli, each from its own purge to steady state, which are run
# only when they are named. Of a mix the writes alone count as written (PTS section 10).

# %%
optional = ("wsat-oltp", "wsat-vod", "wsat-metadata", "wsat-composite")
ssdlab.show_test(run, *optional)

# %% [markdown]
# ## Host idle recovery
#
# How much of its write performance a drive wins back in pauses of 5 s to 50 s (PTS
# section 11).

# %%
ssdlab.show_test(run, "hir")

# %% [markdown]
# ## Cross stimulus recovery
#
# Large sequential writes, small random ones, and large sequential ones again: how long
# it takes until the throughput is back (PTS section 12).

# %%
ssdlab.show_test(run, "xsr")

# %% [markdown]
# ## Composite block size workload
#
# Twelve block sizes in three zones, over threads and queue depths, then three operating
# points with every response time (PTS section 13).

# %%
ssdlab.show_test(run, "cbw")

# %% [markdown]
# ## Demand intensity
#
# The same with one workload of the operator's choice: where more outstanding IOs bring
# no more IOPS (PTS section 14).

# %%
ssdlab.show_test(run, "dirth")

# %% [markdown]
# ## The report
#
# One self-contained file, with the exact fio jobs at its end.

# %%
report = ssdlab.write_report(run)
print(f"run    {run.path}\ntables {run.path / 'tables'}\nreport {report}")
