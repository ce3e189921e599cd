// What a training spends its time on, run by run.
{
  const { format, label } = lapcast;

  lapcast.chart({
    name: "parts", title: "What the time is spent on", section: "runs", order: 4, wide: false,
    question: "Which part of the whole training takes the time: start, laps, validation, checkpoints?",
    height: ({ runs }) => 110 + 26 * runs.length,
    data(page) {
      const known = page.runs.filter((run) => run.parts?.some((part) => part.part !== "total" && part.time_s > 0));
      // The runs behind the ranking first, then the newest.
      const order = page.candidates().map((row) => row.run);
      const place = (run) => (order.includes(run.run.id) ? order.indexOf(run.run.id) : 1e6);
      const runs = known.sort((a, b) => place(a) - place(b)).slice(0, 14);
      const total = (part) => runs.reduce((sum, run) => sum + (run.parts.find((each) => each.part === part)?.time_s ?? 0), 0);
      const parts = [...new Set(runs.flatMap((run) => run.parts.map((part) => part.part)))].filter((part) => part !== "total" && total(part) > 0).slice(0, 12);
      return runs.length > 0 ? { runs, parts } : null;
    },
    figure({ runs, parts }, theme) {
      const names = runs.map((run) => `${label([run.run.machine_type, format.settings(run.run.settings)].join(" "), 26)} · ${label(run.run.id, 8).slice(0, 4)}`);
      const part_of = (run, part) => run.parts.find((each) => each.part === part);
      const unit = format.time_unit(Math.max(...runs.map((run) => run.parts.reduce((sum, part) => sum + (part.part === "total" ? 0 : part.time_s), 0))));
      return {
        traces: parts.map((part, i) => ({ type: "bar", orientation: "h", name: label(part, 24), y: names, x: runs.map((run) => (part_of(run, part)?.time_s ?? 0) / unit.size), marker: { color: theme.colours[i % 8] }, hoverinfo: "text",
          hovertext: runs.map((run, r) => `${names[r]}<br>${label(part)}: ${format.duration(part_of(run, part)?.time_s ?? 0)}<br>${label(part_of(run, part)?.how ?? "", 60)}`) })),
        layout: { barmode: "stack", xaxis: { title: `whole training (${unit.name})`, type: "linear", rangemode: "tozero" }, yaxis: { type: "category", autorange: "reversed" }, bargap: 0.35 },
      };
    },
    table: ({ runs }) => ({ columns: [{ key: "run" }, { key: "machine_type", title: "machine" }, { key: "part" }, { key: "time_s", title: "time", kind: "time" }, { key: "share", kind: "share" }, { key: "how" }],
      rows: runs.flatMap((run) => run.parts.map((part) => [run.run.id, run.run.machine_type, part.part, part.time_s, part.share, part.how])) }),
  });
}
