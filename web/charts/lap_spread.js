// How the laps of one run spread: as a histogram, and as the share of laps below each time.
{
  const { format } = lapcast;

  // Returns the laps after the warm-up, sorted, in seconds.
  const steady = async (page) => {
    const laps = await lapcast.laps_of(page.run);
    if (!laps) return null;
    const warm = Math.max(0,
        ...(page.run.marks ?? [])
            .filter((mark) => mark.kind === "warm-up")
            .map((mark) => mark.end_s ?? 0));
    const sorted = laps.time_s.filter((_, i) => laps.begin_s[i] >= warm).sort();
    return sorted.length > 1 ? { sorted, unit: format.time_unit(lapcast.quantile(sorted, 0.5)) }
                             : null;
  };

  // Returns bins of equal width by the rule of Freedman and Diaconis (1981). What lies far above
  // the rest is counted in the last bin, which says so.
  const bins_of = (sorted) => {
    const [q1, q3] = [lapcast.quantile(sorted, 0.25), lapcast.quantile(sorted, 0.75)];
    const most = Math.min(sorted[sorted.length - 1],
        Math.max(lapcast.quantile(sorted, 0.99) * 1.05, q3 + 4 * (q3 - q1)));
    const room = most > sorted[0] ? 0 : 0.05 * most || 1e-9;  // around laps that are all equal
    const [low, high] = [sorted[0] - room, most + room];
    const wanted = (2 * (q3 - q1)) / Math.cbrt(sorted.length);
    const count = Math.max(8, Math.min(80, wanted > 0 ? Math.ceil((high - low) / wanted) : 20));
    const width = (high - low) / count;
    const counts = new Array(count).fill(0);
    for (const value of sorted) ++counts[Math.min(count - 1, Math.floor((value - low) / width))];
    return {
      low,
      width,
      counts,
      beyond: sorted.filter((value) => value > high * (1 + 1e-9)).length
    };
  };

  lapcast.chart({
    name: "lap-histogram",
    title: "Histogram of the laps",
    section: "runs",
    order: 2,
    per_run: true,
    question: "Is there one kind of lap, or are there several? Warm-up laps are left out.",
    shows: (page) => page.runs.some((run) => run.laps?.count > 1),
    async data(page) {
      const data = await steady(page);
      return data &&
          {...data, ...bins_of(data.sorted), median: lapcast.quantile(data.sorted, 0.5) };
    },
    figure({ low, width, counts, beyond, unit, median }, theme) {
      const edge = (i) => (low + i * width) / unit.size;
      return {
        traces: [{
          type: "bar",
          x: counts.map((_, i) => edge(i + 0.5)),
          y: counts,
          width: counts.map(() => (0.94 * width) / unit.size),
          marker: { color: theme.accent },
          hoverinfo: "text",
          hovertext:
              counts.map((count, i) => `${count} laps<br>${format.duration(low + i * width)} to ${
                             format.duration(low + (i + 1) * width)}`)
        }],
        layout: {
          showlegend: false,
          xaxis: {
            title: `lap (${unit.name})${
                beyond > 0 ? `; the last bar has also ${beyond} longer laps` : ""}`,
            type: "linear"
          },
          yaxis: { title: "laps", type: "linear", range: [0, 1.15 * Math.max(...counts)] },
          shapes: [{
            type: "line",
            x0: median / unit.size,
            x1: median / unit.size,
            yref: "paper",
            y0: 0,
            y1: 1,
            line: { color: theme.text, width: 1, dash: "dot" }
          }],
          annotations: [{
            x: median / unit.size,
            yref: "paper",
            y: 1,
            xanchor: "left",
            xshift: 4,
            yanchor: "top",
            text: `median ${format.duration(median)}`
          }]
        },
      };
    },
    table: ({ low, width, counts }) => ({
      columns: [
        { key: "from_s", title: "from", kind: "time" }, { key: "to_s", title: "to", kind: "time" },
        { key: "laps", kind: "number" }
      ],
      rows: counts.map((count, i) => [low + i * width, low + (i + 1) * width, count])
    }),
  });

  const SHARES = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];

  lapcast.chart({
    name: "lap-ecdf",
    title: "Share of laps below a time",
    section: "runs",
    order: 3,
    per_run: true,
    question:
        "How long are the slowest laps, and how many are there? (Empirical distribution function.)",
    shows: (page) => page.runs.some((run) => run.laps?.count > 1),
    data: steady,
    figure({ sorted, unit }, theme) {
      const points = Math.min(600, sorted.length);
      const at = Array.from({ length: points },
          (_, i) => Math.round((i * (sorted.length - 1)) / Math.max(1, points - 1)));
      const wide = sorted[0] > 0 && sorted[sorted.length - 1] > 5 * sorted[0];
      return {
        traces: [{
          type: "scatter",
          mode: "lines",
          x: at.map((i) => sorted[i] / unit.size),
          y: at.map((i) => (100 * (i + 1)) / sorted.length),
          line: { shape: "hv", width: 2, color: theme.accent },
          hoverinfo: "text",
          hovertext:
              at.map((i) => `${format.share((i + 1) / sorted.length)} of the laps take at most ${
                         format.duration(sorted[i])}`)
        }],
        layout: {
          showlegend: false,
          xaxis: {
            title: wide ? "lap, logarithmic" : `lap (${unit.name})`,
            type: "linear",
            ...(wide ? lapcast.log_axis(sorted[0], sorted[sorted.length - 1], 1 / unit.size, true)
                     : {})
          },
          yaxis: { title: "share of laps (%)", type: "linear", range: [0, 102] }
        },
      };
    },
    table: ({ sorted }) => ({
      columns: [
        { key: "share", title: "share of laps", kind: "share" },
        { key: "lap_s", title: "at most", kind: "time" }
      ],
      rows: SHARES.map((share) => [share, lapcast.quantile(sorted, share)])
    }),
  });
}
