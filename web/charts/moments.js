// How the forecast of a run moved while the run went on.
{
  const { format } = lapcast;

  lapcast.chart({
    name: "moments", title: "How the forecast moved", section: "runs", order: 5, per_run: true,
    question: "When did the forecast of this run become narrow, and did it hold the real time?",
    shows: (page) => page.runs.some((run) => run.forecasts?.length > 1),
    data(page) {
      const points = (page.run?.forecasts ?? []).filter((point) => lapcast.known(point.total_s));
      if (points.length < 2) return null;
      const { run } = page.run;
      return { points, real_s: run.outcome === "ended" ? run.wall_time_s : null };
    },
    figure({ points, real_s }, theme) {
      const all = points.flatMap((point) => [point.total_s_high ?? point.total_s, point.elapsed_s]);
      const unit = format.time_unit(Math.max(...all, real_s ?? 0));
      const x = points.map((point) => point.elapsed_s / unit.size);
      const line = (name, key, more) => ({ type: "scatter", mode: "lines", name, x, y: points.map((point) => (point[key] ?? point.total_s) / unit.size),
        line: { width: 0, color: theme.accent, shape: "hv" }, hoverinfo: "skip", showlegend: false, ...more });
      const traces = [line("low", "total_s_low"),
        line("95 % interval", "total_s_high", { fill: "tonexty", fillcolor: lapcast.faded(theme.accent, 0.18), showlegend: true }),
        line("forecast", "total_s", { line: { width: 2, color: theme.accent, shape: "hv" }, hoverinfo: "text", showlegend: true,
          hovertext: points.map((point) => `after ${format.duration(point.elapsed_s)}<br>whole run ${format.duration(point.total_s)}<br>${format.bounds(format.duration, point.total_s_low, point.total_s_high)}`) })];
      if (real_s) {
        traces.push({ type: "scatter", mode: "lines", name: "real time", x: [0, Math.max(...x, real_s / unit.size)], y: [real_s, real_s].map((value) => value / unit.size),
          line: { color: theme.text, width: 1.5, dash: "dot" }, hoverinfo: "text", hovertext: Array(2).fill(`real: ${format.duration(real_s)}`) });
      }
      return { traces, layout: { xaxis: { title: `elapsed (${unit.name})`, type: "linear", rangemode: "tozero" }, yaxis: { title: `forecast of the whole run (${unit.name})`, type: "linear" } } };
    },
    table: ({ points }) => lapcast.columns_table(points, { elapsed_s: ["elapsed", "time"], total_s: ["forecast", "time"], total_s_low: ["from", "time"], total_s_high: ["to", "time"] }),
  });
}
