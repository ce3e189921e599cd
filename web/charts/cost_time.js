// Cost against time: one point a choice, its 95 % intervals as a cross, and the Pareto front.
{
  const { format, label } = lapcast;
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon", "star"];

  const name_of = (row) => [row.machine_type, format.settings(row.settings)].filter(Boolean).join(" ");

  // Returns whether values span so much that a linear axis would hide the small ones.
  const is_wide = (values) => Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 12;

  const hover = (page, row) => {
    const money = (usd) => format.dollars(usd * page.cost.scale);
    const time = format.bounds(format.duration, row.time_s_low, row.time_s_high);
    const cost = format.bounds(money, row.cost_usd_low, row.cost_usd_high);
    return [`<b>${label(name_of(row))}</b>`, `time ${format.duration(row.time_s)}${time && ` (${time})`}`,
      `cost ${money(row.cost_usd)}${page.cost.after}${cost && ` (${cost})`}`,
      lapcast.known(row.p_cheapest) ? `P(cheapest) ${label(format.chance(row.p_cheapest))}, P(fastest) ${label(format.chance(row.p_fastest))}` : "",
      lapcast.known(row.price_usd_per_hour) ? `${format.dollars(row.price_usd_per_hour)} per hour, ${label(row.price_source)}, ${label(row.price_as_of, 12)}` : "",
      `rank ${row.rank}: click for its row`].filter(Boolean).join("<br>");
  };

  const errors = (rows, key, scale, colour) => ({
    type: "data", symmetric: false, color: colour, thickness: 1.2, width: 0,
    array: rows.map((row) => Math.max(0, (row[`${key}_high`] ?? row[key]) - row[key]) * scale),
    arrayminus: rows.map((row) => Math.max(0, row[key] - (row[`${key}_low`] ?? row[key])) * scale),
  });

  // Names the points that matter: the front and the first of the ranking, as long as they are few.
  const labels = (data, x, y) => {
    const named = data.rows.filter((row) => row.rank === 1 || row.pareto);
    const few = named.length > 7 ? named.filter((row, i) => row.rank === 1 || i === named.length - 1) : named;
    const middle = x[Math.floor(x.length / 2)];
    return few.map((row) => ({ row, x: x[data.rows.indexOf(row)], y: y[data.rows.indexOf(row)], left: x[data.rows.indexOf(row)] > middle }));
  };

  lapcast.chart({
    name: "cost-time", title: "Cost against time", section: "verdict", order: 1, first_screen: true,
    question: "Which choices are worth their money? Lower left is better; the line joins the Pareto front.",
    height: () => (innerWidth < 700 ? 360 : Math.max(420, Math.min(680, innerHeight - 220))),
    data(page) {
      const rows = page.candidates().filter((row) => lapcast.known(row.time_s) && lapcast.known(row.cost_usd));
      return rows.length > 0 ? { rows, page } : null;
    },
    figure({ rows, page }, theme) {
      const unit = format.time_unit(Math.max(...rows.map((row) => row.time_s)));
      const by_time = [...rows].sort((a, b) => a.time_s - b.time_s);
      const machines = [...new Set(rows.map((row) => row.machine_type))];
      const settings = [...new Set(rows.map((row) => format.settings(row.settings)))];
      const colour = lapcast.colours_for(theme, machines);
      const x_of = (row) => row.time_s / unit.size;
      const y_of = (row) => row.cost_usd * page.cost.scale;
      const front = by_time.filter((row) => row.pareto);
      const traces = [{
        type: "scatter", mode: "lines", name: "Pareto front", x: front.map(x_of), y: front.map(y_of), hoverinfo: "skip",
        line: { color: theme.muted, width: 1.5, shape: "hv", dash: "dot" }, showlegend: front.length > 1,
      }];
      for (const machine of machines) {
        const mine = rows.filter((row) => row.machine_type === machine);
        traces.push({
          type: "scatter", mode: "markers", name: label(machine, 24), x: mine.map(x_of), y: mine.map(y_of),
          customdata: mine.map((row) => row.index), hovertext: mine.map((row) => hover(page, row)), hoverinfo: "text",
          error_x: errors(mine, "time_s", 1 / unit.size, lapcast.faded(colour(machine), 0.55)),
          error_y: errors(mine, "cost_usd", page.cost.scale, lapcast.faded(colour(machine), 0.55)),
          marker: { color: colour(machine), size: mine.map((row) => (row.rank === 1 ? 15 : 10)), opacity: 0.95,
            symbol: mine.map((row) => SYMBOLS[settings.indexOf(format.settings(row.settings)) % SYMBOLS.length]),
            line: { width: mine.map((row) => (row.rank === 1 ? 2.5 : 1)), color: mine.map((row) => (row.rank === 1 ? theme.text : theme.paper)) } },
        });
      }
      const wide_x = is_wide(rows.map(x_of));
      const wide_y = is_wide(rows.map(y_of));
      const at = (value, wide) => (wide ? Math.log10(value) : value);
      return { traces, layout: {
        showlegend: machines.length <= 10,
        xaxis: { title: `time of the whole training (${unit.name})${wide_x ? ", logarithmic" : ""}`, ...lapcast.span(rows, "time_s", 1 / unit.size, wide_x) },
        yaxis: { title: `cost (${page.cost.unit})${wide_y ? ", logarithmic" : ""}`, ...lapcast.span(rows, "cost_usd", page.cost.scale, wide_y) },
        annotations: labels({ rows }, rows.map(x_of), rows.map(y_of)).map((each) => ({
          x: at(each.x, wide_x), y: at(each.y, wide_y), text: label(name_of(each.row), 26), xanchor: each.row.time_s > median(rows) ? "right" : "left",
          xshift: each.row.time_s > median(rows) ? -9 : 9, yshift: 13, font: { size: 12, color: each.row.rank === 1 ? theme.text : theme.muted },
        })),
      } };
    },
    click: (data, point, page) => {
      const row = data.rows.find((each) => each.index === point.customdata);
      if (row) page.show_row(row);
    },
    table: ({ rows }) => lapcast.columns_table(rows, { rank: ["rank", "number"], machine_type: ["machine"], settings: ["settings", "settings"],
      time_s: ["time", "time"], time_s_low: ["from", "time"], time_s_high: ["to", "time"], cost_usd: ["cost", "usd"],
      cost_usd_low: ["from", "usd"], cost_usd_high: ["to", "usd"], pareto: ["Pareto front", "truth"] }),
  });

  const median = (rows) => {
    const times = rows.map((row) => row.time_s);
    return Math.min(...times) / 2 + Math.max(...times) / 2;
  };

  // Returns type and range of an axis that holds all intervals of a figure with some room around.
  lapcast.span = (rows, key, scale, wide) => {
    const low = Math.min(...rows.map((row) => row[`${key}_low`] ?? row[key])) * scale;
    const high = Math.max(...rows.map((row) => row[`${key}_high`] ?? row[key])) * scale;
    if (wide && low > 0) {
      const [a, b] = [Math.log10(low), Math.log10(high)];
      return { type: "log", range: [a - 0.08 * (b - a) - 0.02, b + 0.12 * (b - a) + 0.02], dtick: b - a > 2.5 ? 1 : "D2" };
    }
    return { type: "linear", range: [0, high * 1.1 || 1] };
  };

  // Returns a table of the keys {key: [title, kind]} of rows.
  lapcast.columns_table = (rows, columns) => ({
    columns: Object.entries(columns).map(([key, [title, kind]]) => ({ key, title, kind: kind ?? "text" })),
    rows: rows.map((row) => Object.keys(columns).map((key) => {
      const value = row[key];
      return value && typeof value === "object" ? format.settings(value) : value ?? null;
    })),
  });
}
