// What a run reported of its learning, over time.
{
  const { format, label } = lapcast;

  // Returns whether any metric has two values: figures that a program reports once are not a curve.
  const has_curve = (metrics) =>
      new Set(metrics.map((metric) => metric.name)).size < metrics.length;

  lapcast.chart({
    name: "metrics",
    title: "Metrics of the run",
    section: "runs",
    order: 6,
    per_run: true,
    question: "How did loss and accuracy develop while this run went on?",
    shows: (page) => page.runs.some((run) => has_curve(run.metrics ?? [])),
    data(page) {
      const all = (page.run?.metrics ??
          []).filter((metric) => lapcast.known(metric.value) && lapcast.known(metric.at_s));
      const names = [...new Set(all.map((metric) => metric.name))].slice(0, 6);
      return has_curve(all) ? { all: all.filter((metric) => names.includes(metric.name)), names }
                            : null;
    },
    figure({ all, names }, theme) {
      const unit = format.time_unit(Math.max(...all.map((metric) => metric.at_s)));
      const values = all.map((metric) => metric.value);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const wide = names.length > 1 && low > 0 && high > 100 * low;
      return {
        traces: names.map((name, i) => {
          const mine = all.filter((metric) => metric.name === name);
          return {
            type: "scatter",
            mode: "lines+markers",
            name: lapcast.wrapped(name, 24),
            x: mine.map((metric) => metric.at_s / unit.size),
            y: mine.map((metric) => metric.value),
            line: { color: theme.colours[i], width: 2 },
            marker: { size: 5, color: theme.colours[i] },
            hoverinfo: "text",
            hovertext:
                mine.map((metric) => `${label(name)} ${format.number(metric.value)}<br>after ${
                             format.duration(metric.at_s)}${
                             lapcast.known(metric.epoch) ? `, epoch ${metric.epoch}` : ""}`)
          };
        }),
        layout: {
          xaxis: { title: `since the start of the run (${unit.name})`, type: "linear" },
          yaxis: wide ? { title: "value, logarithmic", ...lapcast.log_axis(low, high, 1, false) }
                      : { title: "value", type: "linear" }
        },
      };
    },
    table: ({ all }) => lapcast.columns_table(all, {
      name: ["metric"],
      epoch: ["epoch", "number"],
      at_s: ["after", "time"],
      value: ["value", "number"]
    }),
  });
}
