// Cost against time: one point a choice, its 95 % intervals as a cross, and the Pareto front.
{
  const { format, label } = lapcast;
  const SYMBOLS = [
    "circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon", "star"
  ];

  const name_of =
      (row) => [row.machine_type, format.settings(row.settings)].filter(Boolean).join(" ");

  // Returns whether values span so much that a linear axis would hide the small ones.
  const is_wide = (values) =>
      Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 12;

  const hover = (page, row) => {
    const money = (usd) => format.dollars(usd * page.cost.scale);
    const time = format.bounds(format.duration, row.time_s_low, row.time_s_high);
    const cost = format.bounds(money, row.cost_usd_low, row.cost_usd_high);
    return [
      `<b>${label(name_of(row))}</b>`, `time ${format.duration(row.time_s)}${time && ` (${time})`}`,
      `cost ${money(row.cost_usd)}${page.cost.after}${cost && ` (${cost})`}`,
      lapcast.known(row.p_cheapest)
          ? `P(cheapest) ${label(format.chance(row.p_cheapest))}, P(fastest) ${
                label(format.chance(row.p_fastest))}`
          : "",
      lapcast.known(row.price_usd_per_hour)
          ? `${format.dollars(row.price_usd_per_hour)} per hour, ${label(row.price_source)}, ${
                label(row.price_as_of, 12)}`
          : "",
      `rank ${row.rank}: click for its row`
    ].filter(Boolean)
        .join("<br>");
  };

  const errors = (rows, key, scale, colour) => ({
    type: "data",
    symmetric: false,
    color: colour,
    thickness: 1.2,
    width: 0,
    array: rows.map((row) => Math.max(0, (row[`${key}_high`] ?? row[key]) - row[key]) * scale),
    arrayminus: rows.map((row) => Math.max(0, row[key] - (row[`${key}_low`] ?? row[key])) * scale),
  });

  // Names the points that matter, below and left of them: there a point of the front has no
  // neighbour. Points at the left edge are named to the right.
  const names_of = (rows, x, y, theme) => {
    const important = rows.filter((row) => row.rank === 1 || row.pareto);
    const ends = (row) => row.rank === 1 || row === important[important.length - 1];
    const shown = important.length > 7 || lapcast.narrow() ? important.filter(ends) : important;
    const [low, high] = [Math.min(...rows.map(x)), Math.max(...rows.map(x))];
    const highest = Math.max(...rows.map(y));
    // A name that would lie on that of a more important point is left out; the point's hover has it.
    const touches = (a, b) =>
        Math.abs(x(a) - x(b)) < 0.45 * (high - low) && Math.abs(y(a) - y(b)) < 0.12 * highest;
    const apart = [];
    for (const row of [...shown].sort((a, b) => ends(b) - ends(a)))
      if (!apart.some((other) => touches(row, other))) apart.push(row);
    return apart.map((row) => {
      const left = x(row) - low < 0.25 * (high - low);
      return {
        x: x(row),
        y: y(row),
        text: label(name_of(row), 26),
        xanchor: left ? "left" : "right",
        yanchor: "top",
        xshift: left ? 2 : -7,
        yshift: -6,
        bgcolor: lapcast.faded(theme.paper, 0.75),
        font: { size: 12, color: row.rank === 1 ? theme.text : theme.muted }
      };
    });
  };

  lapcast.chart({
    name: "cost-time",
    title: "Cost against time",
    section: "verdict",
    order: 1,
    first_screen: true,
    question:
        "Which choices are worth their money? Lower left is better; the line is the Pareto front.",
    height: () => (innerWidth < 700 ? 360 : Math.max(420, Math.min(680, innerHeight - 220))),
    data(page) {
      const rows = page.candidates().filter(
          (row) => lapcast.known(row.time_s) && lapcast.known(row.cost_usd));
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
        type: "scatter",
        mode: "lines",
        name: "Pareto front",
        x: front.map(x_of),
        y: front.map(y_of),
        hoverinfo: "skip",
        line: { color: theme.muted, width: 1.5, shape: "hv", dash: "dot" },
        showlegend: front.length > 1,
      }];
      for (const machine of machines) {
        const mine = rows.filter((row) => row.machine_type === machine);
        traces.push({
          type: "scatter",
          mode: "markers",
          name: label(machine, 24),
          x: mine.map(x_of),
          y: mine.map(y_of),
          customdata: mine.map((row) => row.index),
          hovertext: mine.map((row) => hover(page, row)),
          hoverinfo: "text",
          error_x: errors(mine, "time_s", 1 / unit.size, lapcast.faded(colour(machine), 0.55)),
          error_y: errors(mine, "cost_usd", page.cost.scale, lapcast.faded(colour(machine), 0.55)),
          marker: {
            color: colour(machine),
            size: mine.map((row) => (row.rank === 1 ? 15 : 10)),
            opacity: 0.95,
            symbol: mine.map(
                (row) => SYMBOLS[settings.indexOf(format.settings(row.settings)) % SYMBOLS.length]),
            line: {
              width: mine.map((row) => (row.rank === 1 ? 2.5 : 1)),
              color: mine.map((row) => (row.rank === 1 ? theme.text : theme.paper))
            }
          },
        });
      }
      const wide_x = is_wide(rows.map(x_of));
      const wide_y = is_wide(rows.map(y_of));
      const at = (value, wide) => (wide ? Math.log10(value) : value);
      return {
        traces,
        layout: {
          showlegend: machines.length <= 10,
          xaxis: {
            title: wide_x ? "time of the whole training, logarithmic"
                          : `time of the whole training (${unit.name})`,
            ...lapcast.span(rows, "time_s", 1 / unit.size, wide_x)
          },
          yaxis: {
            title: `cost (${page.cost.unit})${wide_y ? ", logarithmic" : ""}`,
            ...lapcast.span(rows, "cost_usd", page.cost.scale, wide_y)
          },
          annotations:
              names_of(rows, (row) => at(x_of(row), wide_x), (row) => at(y_of(row), wide_y), theme),
        }
      };
    },
    click: (data, point, page) => {
      const row = data.rows.find((each) => each.index === point.customdata);
      if (row) page.show_row(row);
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      rank: ["rank", "number"],
      machine_type: ["machine"],
      settings: ["settings", "settings"],
      time_s: ["time", "time"],
      time_s_low: ["from", "time"],
      time_s_high: ["to", "time"],
      cost_usd: ["cost", "usd"],
      cost_usd_low: ["from", "usd"],
      cost_usd_high: ["to", "usd"],
      pareto: ["Pareto front", "truth"]
    }),
  });
}
