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
# ## Test by test
#
# Each with the plots and tables that the standard asks for, and what judges it.

# %%
ssdlab.show_tests(run)

# %% [markdown]
# ## The report
#
# One self-contained file, with the exact fio jobs at its end.

# %%
report = ssdlab.write_report(run)
print(f"run    {run.path}\ntables {run.path / 'tables'}\nreport {report}")
