// What a run reported of its learning, over time.
{
  const { format, label } = lapcast;

  lapcast.chart({
    name: "metrics", title: "Metrics of the run", section: "runs", order: 6, per_run: true,
    question: "How did loss and accuracy develop while this run went on?",
    shows: (page) => page.runs.some((run) => run.metrics?.length > 1),
    data(page) {
      const all = (page.run?.metrics ?? []).filter((metric) => lapcast.known(metric.value) && lapcast.known(metric.at_s));
      const names = [...new Set(all.map((metric) => metric.name))].slice(0, 6);
      return all.length > 1 ? { all: all.filter((metric) => names.includes(metric.name)), names } : null;
    },
    figure({ all, names }, theme) {
      const unit = format.time_unit(Math.max(...all.map((metric) => metric.at_s)));
      return {
        traces: names.map((name, i) => {
          const mine = all.filter((metric) => metric.name === name);
          return { type: "scatter", mode: "lines+markers", name: label(name, 24), x: mine.map((metric) => metric.at_s / unit.size), y: mine.map((metric) => metric.value),
            line: { color: theme.colours[i], width: 2 }, marker: { size: 5, color: theme.colours[i] }, hoverinfo: "text",
            hovertext: mine.map((metric) => `${label(name)} ${format.number(metric.value)}<br>after ${format.duration(metric.at_s)}${lapcast.known(metric.epoch) ? `, epoch ${metric.epoch}` : ""}`) };
        }),
        layout: { xaxis: { title: `since the start of the run (${unit.name})`, type: "linear" }, yaxis: { title: "value", type: "linear" } },
      };
    },
    table: ({ all }) => lapcast.columns_table(all, { name: ["metric"], epoch: ["epoch", "number"], at_s: ["after", "time"], value: ["value", "number"] }),
  });
}
