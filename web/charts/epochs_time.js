// Time against the number of epochs: which candidate wins from how many epochs on.
{
  const { format, label } = lapcast;
  // Candidates with one name can be several: imported runs of machines that have no name.
  const key_of = (row) => `${lapcast.full_name(row)} ${row.run ?? ""}`;

  // A line has the times that the crossovers compare, and those of rankings at other epochs.
  const lines_of = (page) => {
    const { candidates = [], times_by_epochs = [] } = page.data.rank ?? {};
    const lines = new Map();
    for (const row of page.candidates())
      lines.set(key_of(row), { row, name: lapcast.full_name(row), points: [] });
    for (const { epochs, time_s, ...row } of [...candidates, ...times_by_epochs]) {
      const points = lines.get(key_of(row))?.points;
      if (!points || !(epochs > 0) || !lapcast.known(time_s)) continue;
      if (!points.some((point) => point.epochs === epochs)) points.push({ epochs, time_s });
    }
    for (const line of lines.values()) line.points.sort((a, b) => a.epochs - b.epochs);
    return [...lines.values()]
        .filter((line) => line.points.length > 1)
        .sort((a, b) => a.row.rank - b.row.rank)
        .slice(0, lapcast.narrow() ? 4 : 8);
  };

  // Returns the figure of lines {row, name, points: [{epochs, time_s}]} with their crossovers.
  lapcast.epochs_figure = ({ lines, crossovers }, theme) => {
    const unit = format.time_unit(
        Math.max(...lines.flatMap((line) => line.points.map((point) => point.time_s))));
    const most = Math.max(...lines.flatMap((line) => line.points.map((point) => point.epochs)));
    const names = lapcast.distinct(lines.map((line) => lapcast.short_name(line.row)));
    const shown = crossovers.filter((row) => row.epochs <= 1.2 * most).slice(0, 8);
    return {
      traces: lines.map((line, i) => ({
        type: "scatter",
        mode: "lines",
        name: names[i],
        x: line.points.map((point) => point.epochs),
        y: line.points.map((point) => point.time_s / unit.size),
        hoverinfo: "text",
        hovertext: line.points.map(
            (point) => `${label(line.name)}<br>${format.number(point.epochs)} epochs: ${
                format.duration(point.time_s)}`),
        line: { color: theme.colours[i % 8], width: 2 },
        marker: { color: theme.colours[i % 8], size: 6 }
      })),
      layout: {
        xaxis: { title: "epochs", type: "linear", rangemode: "tozero" },
        yaxis: { title: `time (${unit.name})`, type: "linear", rangemode: "tozero" },
        shapes: shown.map((row) => ({
          type: "line",
          x0: row.epochs,
          x1: row.epochs,
          yref: "paper",
          y0: 0,
          y1: 1,
          line: { color: theme.muted, width: 1, dash: "dot" }
        })),
        annotations: shown.map((row, i) => ({
          x: row.epochs,
          yref: "paper",
          y: 0.98 - 0.07 * (i % 4),
          xanchor: "left",
          xshift: 4,
          text: `from ${format.number(row.epochs)}: ${label(row.machine_type_from, 18)}`
        }))
      },
    };
  };

  lapcast.chart({
    name: "epochs-time",
    title: "Time against epochs",
    section: "choices",
    order: 6,
    question:
        "From how many epochs on does another candidate win? Vertical lines are crossovers.",
    height: ({ lines }) => 300 + 10 * lines.length,
    data(page) {
      const lines = lines_of(page);
      const crossovers =
          (page.data.rank?.crossovers ?? []).filter((row) => (row.ranking ?? 1) === page.ranking);
      return lines.length > 1 ? { lines, crossovers } : null;
    },
    figure: (data, theme) => lapcast.epochs_figure(data, theme),
    table: ({ lines }) => ({
      columns: [
        { key: "candidate" }, { key: "epochs", kind: "number" },
        { key: "time_s", title: "time", kind: "time" }
      ],
      rows: lines.flatMap(
          (line) => line.points.map((point) => [line.name, point.epochs, point.time_s]))
    }),
  });
}
