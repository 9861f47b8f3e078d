// A card for each notebook in the launcher of JupyterLab. `ssdlab lab` alone loads it:
// the notebooks stand at the root of that server. It is a module as JupyterLab loads
// them, written by hand, so that nothing has to be built.

(() => {
  const NOTEBOOKS = [
    ["00_start.ipynb", "Start"],
    ["01_run_pts.ipynb", "Run the SNIA SSS PTS"],
    ["02_steady_state.ipynb", "Steady state"],
    ["03_latency_qos.ipynb", "Latency and QoS"],
    ["04_compare_drives.ipynb", "Compare drives"],
    ["05_explore.ipynb", "Explore"],
    ["06_fleet.ipynb", "A fleet of drives"],
  ];
  const COMMAND = "ssdlab:open-notebook";
  const ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="32" viewBox="0 0 32 32">
    <rect x="2" y="4" width="28" height="24" rx="3" fill="#0072b2"/>
    <path d="M6 9c3 0 3 11 8 11h12" fill="none" stroke="#fff" stroke-width="2.5"
      stroke-linecap="round"/></svg>`;

  let shared; // the packages that JupyterLab shares with extensions

  async function load(name) {
    const [version] = Object.values(shared[name]);
    return (await version.get())();
  }

  async function makePlugin() {
    const { ILauncher } = await load("@jupyterlab/launcher");
    const { LabIcon } = await load("@jupyterlab/ui-components");
    const icon = new LabIcon({ name: "ssdlab:notebook", svgstr: ICON });
    return {
      id: "ssdlab:launcher",
      description: "Cards of the notebooks of ssdlab.",
      autoStart: true,
      requires: [ILauncher],
      activate: (app, launcher) => {
        app.commands.addCommand(COMMAND, {
          label: ({ label }) => label,
          caption: ({ path }) => `Open ${path}`,
          icon,
          execute: ({ path }) => app.commands.execute("docmanager:open", { path }),
        });
        NOTEBOOKS.forEach(([path, label], rank) =>
          launcher.add({
            command: COMMAND,
            args: { path, label },
            category: "ssdlab",
            rank,
          })
        );
      },
    };
  }

  const container = {
    init: (scope) => {
      shared = scope;
    },
    get: async () => {
      const plugin = await makePlugin();
      return () => ({ __esModule: true, default: plugin });
    },
  };
  (window._JUPYTERLAB ??= {}).ssdlab = container;
})();
