// Forecasts beside real runs to the end: the intervals, and whether they hold the real times.
{
  const { format, label } = lapcast;
  const same = (a, b) => lapcast.name_of(a) === lapcast.name_of(b) &&
      (a.epochs ?? null) === (b.epochs ?? null);

  lapcast.chart({
    name: "forecast-real",
    title: "Forecast against real time",
    section: "truth",
    order: 1,
    wide: true,
    question: "How far off were the forecasts? 0 % is the real time; bars are the 95 % intervals.",
    height: ({ rows }) => lapcast.bars_height(
        rows.map((row) => lapcast.short_name(row)), ["inside", "outside", "real runs"]),
    data(page) {
      const verify = page.data.verify;
      const rows = (verify?.verified ?? [])
                       .filter((row) => lapcast.known(row.forecast_s) && row.real_s > 0)
                       .slice(0, 30);
      return rows.length > 0 ? { rows, real: verify.real_runs ?? [], errors: verify.errors ?? {} }
                             : null;
    },
    figure({ rows, real, errors }, theme) {
      const inside = `; ${errors.inside_95} of ${errors.known} real times inside 95 % intervals`;
      const coverage = errors.known && !lapcast.narrow() ? inside : "";
      const differ = new Set(rows.map((row) => row.epochs)).size > 1;
      const names = lapcast.distinct(rows.map((row) => lapcast.short_name(row) +
              (differ && row.epochs ? ` · ${row.epochs} epochs` : "")));
      const off = (row, seconds) => 100 * (seconds / row.real_s - 1);
      const each = rows.flatMap(
          (row, i) => real.filter((run) => same(run, row))
                          .map((run) => ({ run, name: names[i], off: off(row, run.real_s) })));
      const hover = (row) =>
          `${label(lapcast.name_of(row))}<br>forecast ${format.duration(row.forecast_s)} (${
              format.bounds(format.duration, row.forecast_s_low, row.forecast_s_high)})` +
          `<br>real ${format.duration(row.real_s)}, error ${format.share(row.error)}<br>${
              row.inside ? "inside" : "outside"} the interval`;
      const kind = (name, inside, colour) => {
        const mine = rows.map((row, i) => ({ row, i }))
                         .filter(({ row }) => (row.inside !== false) === inside);
        return {
          type: "scatter",
          mode: "markers",
          name,
          y: mine.map(({ i }) => names[i]),
          x: mine.map(({ row }) => off(row, row.forecast_s)),
          error_x: {
            type: "data",
            symmetric: false,
            color: colour,
            thickness: 3,
            width: 0,
            array: mine.map(({ row }) => off(row, row.forecast_s_high ?? row.forecast_s) -
                    off(row, row.forecast_s)),
            arrayminus: mine.map(({ row }) => off(row, row.forecast_s) -
                    off(row, row.forecast_s_low ?? row.forecast_s))
          },
          marker: { color: colour, size: 10, symbol: inside ? "circle" : "diamond" },
          hoverinfo: "text",
          hovertext: mine.map(({ row }) => hover(row))
        };
      };
      return {
        traces: [
          kind("interval holds the real time", true, theme.accent),
          kind("interval misses it", false, theme.bad), {
            type: "scatter",
            mode: "markers",
            name: "real runs",
            y: each.map((point) => point.name),
            x: each.map((point) => point.off),
            marker: {
              symbol: "line-ns",
              size: 12,
              color: theme.text,
              line: { width: 2, color: theme.text }
            },
            hoverinfo: "text",
            hovertext: each.map(
                ({ run }) => `real run ${label(run.run, 14)}<br>${format.duration(run.real_s)}`)
          }
        ].filter((trace) => trace.x.length > 0),
        layout: {
          xaxis: {
            title: `off the mean real time (%)${coverage}`,
            type: "linear",
            zeroline: true,
            zerolinecolor: theme.muted,
            zerolinewidth: 1.5
          },
          yaxis: {
            type: "category",
            range: [names.length - 0.5, -0.5],
            categoryorder: "array",
            categoryarray: names
          },
        },
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      machine_type: ["machine"],
      settings: ["settings", "settings"],
      epochs: ["epochs", "number"],
      forecast_s: ["forecast", "time"],
      forecast_s_low: ["from", "time"],
      forecast_s_high: ["to", "time"],
      runs: ["real runs", "number"],
      real_s: ["real", "time"],
      error: ["error", "share"],
      inside: ["inside", "truth"],
      reason: ["reason"]
    }),
  });
}
