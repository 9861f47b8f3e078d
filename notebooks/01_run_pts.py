# %% [markdown]
# # Run the SNIA SSS PTS
#
# Measures a drive as the SNIA Solid State Storage Performance Test Specification asks:
# purge, preconditioning, rounds until steady state, measurement window, report. **On a
# drive, all data are erased**; the default is a virtual SSD in memory.
#
# <details><summary>Targets, and how to resume</summary>
#
# A target may have options: `virtual:size=256MiB,op=12` or `file:PATH,size=1GiB`. To
# resume a run that was stopped, set `resume` to its folder and run all cells again. All
# output of fio is kept, so that every number below can be traced back to it.
#
# </details>

# %% tags=["parameters"]
target: str = "virtual"  # virtual, file:PATH, /dev/...; with options: see above
profile: str = "demo"  # a name from `ssdlab profiles`, or your own TOML file
tests: str = "iops,tp,lat,wsat"  # also hir, xsr, cbw, dirth; all: all of the profile
runs: str = "data/runs"
run_folder: str = ""  # run folder to create; empty: a new one in `runs`
label: str = ""
confirm_serial: str = ""  # serial number of the drive: consents to its erasure
purge: str = "auto"  # or a method from `ssdlab purge TARGET --list`, or none
temperature_limit: float = 0.0  # stop above it [°C]; 0: the drive's own limit
seed: int = 0  # 0: random; it is recorded
host_ceiling: bool = False  # first measure the IOPS limit of this host, for a minute
resume: str = ""  # folder of a run to resume
more_rounds: int = 0  # with `resume`: most further rounds if not steady

# %%
import ssdlab

ssdlab.require_known_parameters(globals())
choices = {"runs": runs, "run_folder": run_folder, "label": label, "seed": seed}
choices |= {"host_ceiling": host_ceiling, "purge": purge}
choices |= {"temperature_limit": temperature_limit}

# %% [markdown]
# ## Measure
#
# *Interrupt* (■) stops fio cleanly and keeps the completed steps.

# %%
always = {"confirm_serial": confirm_serial, "tell": ssdlab.show_progress()}
run = (
    ssdlab.resume_run(resume, more_rounds=more_rounds, **always)
    if resume
    else ssdlab.run_suite(target, profile, tests, **always, **choices)
)

# %% [markdown]
# ## Results

# %%
ssdlab.show_report(run)
ssdlab.show_overview(run)
ssdlab.show_tests(run)
