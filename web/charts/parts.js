// What a training spends its time on, run by run.
{
  const { format, label } = lapcast;

  const names_of = (runs, programs) => runs.map((run) => lapcast.short_name({
    ...run.run,
    machine_type: [programs(run), run.run.machine_type].filter(Boolean).join(" ")
  }));

  lapcast.chart({
    name: "parts",
    title: "What the time is spent on",
    section: "runs",
    order: 9,
    wide: true,
    question:
        "Which part of the whole training takes the time: start, laps, validation, checkpoints?",
    height: ({ runs, parts, programs }) => lapcast.bars_height(names_of(runs, programs), parts),
    data(page) {
      const known = page.runs.filter(
          (run) => run.parts?.some((part) => part.part !== "total" && part.time_s > 0));
      // The runs behind the ranking first, then the newest.
      const order = page.candidates().map((row) => row.run);
      const place = (run) => (order.includes(run.run.id) ? order.indexOf(run.run.id) : 1e6);
      const runs = known.sort((a, b) => place(a) - place(b)).slice(0, 14);
      const total = (part) => runs.reduce(
          (sum, run) => sum + (run.parts.find((each) => each.part === part)?.time_s ?? 0), 0);
      const parts = [...new Set(runs.flatMap((run) => run.parts.map((part) => part.part)))]
                        .filter((part) => part !== "total" && total(part) > 0)
                        .slice(0, 12);
      return runs.length > 0 ? { runs, parts, programs: page.program_of } : null;
    },
    figure({ runs, parts, programs }, theme) {
      const names = names_of(runs, programs);
      const part_of = (i, part) => runs[i].parts.find((each) => each.part === part);
      const unit = format.time_unit(Math.max(
          ...runs.map((run) => run.parts.reduce(
                          (sum, part) => sum + (part.part === "total" ? 0 : part.time_s), 0))));
      return lapcast.stacked_bars({
        names: lapcast.distinct(names, (i) => label(String(runs[i].run.id).slice(0, 6))),
        parts,
        value: (i, part) => (part_of(i, part)?.time_s ?? 0) / unit.size,
        hover: (i, part) => `${format.duration(part_of(i, part)?.time_s ?? 0)}<br>${
            label(part_of(i, part)?.how ?? "", 60)}`,
        axis: `whole training (${unit.name})`,
        colours: theme.colours
      });
    },
    table: ({ runs }) => ({
      columns: [
        { key: "run" }, { key: "machine_type", title: "machine" }, { key: "part" },
        { key: "time_s", title: "time", kind: "time" }, { key: "share", kind: "share" },
        { key: "how" }
      ],
      rows: runs.flatMap((run) => run.parts.map((part) => [run.run.id, run.run.machine_type,
                                                    part.part, part.time_s, part.share, part.how]))
    }),
  });
}
