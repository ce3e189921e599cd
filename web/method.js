// "How we know": what a reader needs to check every figure or to do it all again.
{
  const { el, format } = lapcast;
  const block = (title, ...content) =>
      el("div", { class: "block" }, el("h3", {}, title), ...content);

  const wide_block = (title, ...content) => {
    const element = block(title, ...content);
    element.classList.add("wide");
    return element;
  };

  const copy_button = (text) => {
    const button = el("button", {
      type: "button",
      class: "quiet",
      onclick: async () => {
        await navigator.clipboard?.writeText(text);
        button.textContent = "Copied";
      }
    },
        "Copy");
    return navigator.clipboard ? button : null;
  };

  const commands = (data) => {
    const lines = (data.repeat ?? []).map((line) => lapcast.safe(line, 2000));
    if (data.made?.command) lines.push(lapcast.safe(data.made.command, 2000));
    if (lines.length === 0) return null;
    return block("Repeat it", el("pre", { tabindex: "0" }, el("code", {}, lines.join("\n"))),
        copy_button(lines.join("\n")));
  };

  // Returns a table whose columns are the keys that any of the rows has.
  const plain_table = (caption, rows, kinds) => {
    const columns = Object.entries(kinds)
                        .filter(([key]) => rows.some((row) => row[key] !== undefined &&
                                        row[key] !== null && row[key] !== ""))
                        .map(([key, [title, kind]]) => ({ key, title, kind }));
    const value = (entry) => (Array.isArray(entry) ? entry.join(", ")
            : entry && typeof entry === "object"   ? format.settings(entry)
                                                   : entry ?? null);
    return lapcast.table({
      columns,
      rows: rows.map((row) => columns.map((column) => value(row[column.key]))),
      caption,
      limit: 20
    });
  };

  const machines = (data) =>
      data.machines?.length > 0 && wide_block("Machines", plain_table("Machines", data.machines, {
        name: ["machine"],
        host: ["host"],
        cpu_model: ["CPU"],
        cpus: ["CPUs", "number"],
        memory_bytes: ["memory", "bytes"],
        gpus: ["GPUs"],
        gpu_set_up: ["GPUs' set-up"],
        versions: ["versions"]
      }));

  const prices = (data) =>
      data.prices?.length > 0 && block("Prices", plain_table("Prices", data.prices, {
        offer: ["offer"],
        usd_per_hour: ["price per hour", "usd"],
        terms: ["terms"],
        as_of: ["as of"],
        source: ["source"]
      }));

  const constants = (values) =>
      Object.entries(values ?? {})
          .map(([name, value]) => el("li", {}, el("code", {}, lapcast.safe(name, 60)),
                   ` = ${
                       lapcast.safe(
                           typeof value === "number" ? format.round_number(value) : value, 120)}`));

  const method = (data) => data.method?.length > 0 &&
      block("Method", el("dl", { class: "method" }, data.method.map((part) => {
        const list = constants(part.constants);
        return el("div", {}, el("dt", {}, lapcast.safe(part.name, 80)),
            el("dd", {}, lapcast.safe(part.text, 2000),
                list.length > 0 ? el("ul", { class: "constants" }, list) : null));
      })));

  // Returns the laps of the chosen run as a table, one row a lap, counted from 0 as `show` does.
  const laps_csv = async (page) => {
    const laps = await lapcast.laps_of(page.run);
    if (!laps) return { columns: [], rows: [] };
    const phases = page.run.phases ?? [];
    const keys = ["lap", "begin_s", "lap_s", "samples", "phase", "finished"];
    const rows = Array.from({ length: laps.count },
        (_, i) => [i, laps.begin_s[i], laps.time_s[i], laps.samples?.[i] ?? null,
            phases[laps.phase?.[i]] ?? null, laps.queued ? laps.queued[i] === 0 : null]);
    return { columns: keys.map((key) => ({ key })), rows };
  };

  const raw = (page) => {
    const holder = document.getElementById("data").textContent.trim();
    const text = () => holder || JSON.stringify(page.data);
    const button = (name, press) =>
        el("button", { type: "button", class: "button", onclick: press }, name);
    const run_csv = () => ({
      columns: [
        "run", "machine_type", "settings", "kind", "outcome", "laps", "lap_s", "time_s", "cost_usd"
      ].map((key) => ({ key })),
      rows: page.runs.map(({ run = {}, profile = {}, forecast = {} }) => [run.id, run.machine_type,
                              format.settings(run.settings), run.kind, run.outcome, profile.laps,
                              profile.lap_s, forecast.time_s, forecast.cost_usd])
    });
    return block("Raw data",
        el("p", {}, "This file holds every lap that a figure was made from. ",
            "JSON has everything; its columns of laps are packed (64-bit integers, bytes " +
                "shuffled, deflated, base64)."),
        el("p", { class: "buttons" },
            button("All data as JSON",
                () => lapcast.save("lapcast-report.json", "application/json", text())),
            page.runs.length > 0 ? button("Runs as CSV", () => lapcast.save_csv("runs", run_csv()))
                                 : null,
            page.run?.laps ? button("Laps of the chosen run as CSV",
                                 async () => lapcast.save_csv("laps", await laps_csv(page)))
                           : null));
  };

  const licences = (data) => data.licences?.length > 0 &&
      block("Licences",
          ...data.licences.map(
              (licence) => el("details", {}, el("summary", {}, lapcast.safe(licence.name, 80)),
                  el("pre", { class: "wrap" },
                      String(licence.text)
                          .slice(0, 20000)
                          .split("\n")
                          .map((line) => lapcast.safe(line, 400))
                          .join("\n")))));

  // Returns the blocks of the section.
  lapcast.how_we_know = (page) => {
    const { data } = page;
    const beside = [prices(data), commands(data), raw(page), licences(data)].filter(Boolean);
    return [el("div", { class: "blocks" },
        [method(data), el("div", { class: "block stack" }, beside), machines(data)]
            .filter(Boolean))];
  };
}
