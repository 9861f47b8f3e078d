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
# with `resume` set to its folder.

# %% tags=["parameters"]
target: str = "virtual"  # virtual, file:PATH, /dev/...; with options: see above
profile: str = "demo"  # pts-2.0-enterprise, pts-2.0-client, pts-e-1.1, tkperf, demo
tests: str = "iops,tp,lat,wsat"
runs: str = "data/runs"
run_folder: str = ""  # a folder of its own instead of a new one in `runs`
label: str = ""
confirm_serial: str = ""  # the serial of a device that may be destroyed
seed: int = 0  # 0 draws one; it is recorded
resume: str = ""  # the folder of a run to go on with

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
progress = ssdlab.show_progress()
run = (
    ssdlab.resume_run(resume, tell=progress)
    if resume
    else ssdlab.run_suite(
        target, profile, tests, confirm_serial=confirm_serial, tell=progress, **choices
    )
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
# ## The report
#
# One self-contained file, with the exact fio jobs at its end.

# %%
report = ssdlab.write_report(run)
print(f"run    {run.path}\ntables {run.path / 'tables'}\nreport {report}")
