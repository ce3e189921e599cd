// Cost against time: one point a choice, its 95 % intervals as a cross, and the Pareto front.
{
  const { format, label } = lapcast;
  const SYMBOLS = [
    "circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon", "star"
  ];

  // Returns whether values span so much that a linear axis would hide the small ones.
  const is_wide = (values) =>
      Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 12;

  const is_measured = (row) => (row.provenance ?? "measured") === "measured";

  const hover = (page, row) => {
    const money = (usd) => format.dollars(usd * page.cost.scale);
    const time = format.bounds(format.duration, row.time_s_low, row.time_s_high);
    const cost = format.bounds(money, row.cost_usd_low, row.cost_usd_high);
    return [
      `<b>${label(lapcast.name_of(row))}</b>`,
      is_measured(row) ? "" : `${label(row.provenance)}, not measured`,
      `time ${format.duration(row.time_s)}${time && ` (${time})`}`,
      `cost ${money(row.cost_usd)}${page.cost.after}${cost && ` (${cost})`}`,
      lapcast.known(row.p_cheapest)
          ? `P(cheapest) ${label(format.chance(row.p_cheapest))}, P(fastest) ${
                label(format.chance(row.p_fastest))}`
          : "",
      lapcast.known(row.price_usd_per_hour)
          ? `${format.dollars(row.price_usd_per_hour)} per hour, ${label(row.price_source)}, ${
                label(row.price_as_of, 12)}`
          : "",
      lapcast.known(row.rank) ? `rank ${row.rank}: click for its row` : ""
    ].filter(Boolean)
        .join("<br>");
  };

  const errors = (rows, key, scale, colour) => ({
    type: "data",
    symmetric: false,
    color: colour,
    thickness: 1.2,
    width: 0,
    array: rows.map((row) => is_measured(row)
        ? Math.max(0, (row[`${key}_high`] ?? row[key]) - row[key]) * scale : 0),
    arrayminus: rows.map((row) => is_measured(row)
        ? Math.max(0, row[key] - (row[`${key}_low`] ?? row[key])) * scale : 0),
  });

  // Returns the crosses of rows that were not measured, as dashed lines.
  const dashed = (rows, x_of, y_of, x_scale, y_scale, colour) => {
    const x = [], y = [];
    for (const row of rows.filter((each) => !is_measured(each))) {
      x.push(row.time_s_low * x_scale, row.time_s_high * x_scale, null, x_of(row), x_of(row), null);
      y.push(y_of(row), y_of(row), null, row.cost_usd_low * y_scale, row.cost_usd_high * y_scale,
             null);
    }
    return {
      type: "scatter",
      mode: "lines",
      x,
      y,
      hoverinfo: "skip",
      showlegend: false,
      line: { color: colour, width: 1.2, dash: "dash" }
    };
  };

  const machines_of = (rows) => [...new Set(rows.map((row) => row.machine_type))];

  // Names the points that matter, below and left of them: there a point of the front has no
  // neighbour. Points at the left edge are named to the right.
  const names_of = (rows, { x, y, ranges }, theme) => {
    const important = rows.filter((row) => row.rank === 1 || row.pareto);
    const ends = (row) => row.rank === 1 || row === important[important.length - 1];
    const shown = important.length > 7 || lapcast.narrow() ? important.filter(ends) : important;
    // Returns where a point lies within the axes, each from 0 to 1.
    const share = (row) => [x(row), y(row)].map(
        (value, i) => (value - ranges[i][0]) / (ranges[i][1] - ranges[i][0]));
    // A name that would lie on that of a more important point is left out: hovering shows it.
    const touches = (a, b) => {
      const [dx, dy] = share(a).map((value, i) => Math.abs(value - share(b)[i]));
      return dx < (lapcast.narrow() ? 0.7 : 0.35) && dy < (lapcast.narrow() ? 0.3 : 0.1);
    };
    const apart = [];
    for (const row of [...shown].sort((a, b) => ends(b) - ends(a)))
      if (!apart.some((other) => touches(row, other))) apart.push(row);
    return apart.map((row) => {
      const left = share(row)[0] < (lapcast.narrow() ? 0.5 : 0.3);
      const low = share(row)[1] < 0.25;
      return {
        x: x(row),
        y: y(row),
        text: lapcast.short_name(row),
        xanchor: left ? "left" : "right",
        yanchor: low ? "bottom" : "top",  // never over the axis
        xshift: left ? 2 : -7,
        yshift: low ? 6 : -6,
        bgcolor: lapcast.faded(theme.paper, 0.75),
        font: { size: 12, color: row.rank === 1 ? theme.text : theme.muted }
      };
    });
  };

  // Returns the figure of rows with machine_type, settings, time_s and cost_usd. Rows with the same
  // `front` share a Pareto front.
  lapcast.cost_time_figure = ({ rows, page }, theme) => {
    const unit = format.time_unit(Math.max(...rows.map((row) => row.time_s)));
    const by_time = [...rows].sort((a, b) => a.time_s - b.time_s);
    const machines = machines_of(rows);
    const settings = [...new Set(rows.map((row) => format.settings(row.settings)))];
    const colour = lapcast.colours_for(theme, machines);
    const x_of = (row) => row.time_s / unit.size;
    const y_of = (row) => row.cost_usd * page.cost.scale;
    const fronts = [...new Set(rows.map((row) => row.front))].map(
        (name) => by_time.filter((row) => row.pareto && row.front === name));
    const traces = fronts.map((front, i) => ({
      type: "scatter",
      mode: "lines",
      name: "Pareto front",
      x: front.map(x_of),
      y: front.map(y_of),
      hoverinfo: "skip",
      line: { color: theme.muted, width: 1.5, shape: "hv", dash: "dot" },
      showlegend: front.length > 1 && i === 0,
    }));
    for (const machine of machines) {
      const mine = rows.filter((row) => row.machine_type === machine);
      if (!mine.every(is_measured))
        traces.push(dashed(mine, x_of, y_of, 1 / unit.size, page.cost.scale,
                           lapcast.faded(colour(machine), 0.55)));
      traces.push({
        type: "scatter",
        mode: "markers",
        name: lapcast.wrapped(machine),
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
              (row) => SYMBOLS[settings.indexOf(format.settings(row.settings)) % SYMBOLS.length] +
                  (is_measured(row) ? "" : "-open")),
          line: {
            width: mine.map((row) => (row.rank === 1 ? 2.5 : 1)),
            color: mine.map((row) => (!is_measured(row) ? colour(machine)
                                          : row.rank === 1 ? theme.text : theme.paper))
          }
        },
      });
    }
    const wide_x = is_wide(rows.map(x_of));
    const wide_y = is_wide(rows.map(y_of));
    const xaxis = {
      title: wide_x ? "time of the whole training, logarithmic"
                    : `time of the whole training (${unit.name})`,
      ...lapcast.span(rows, "time_s", 1 / unit.size, wide_x)
    };
    const yaxis = {
      title: `cost (${page.cost.unit})${wide_y ? ", logarithmic" : ""}`,
      ...lapcast.span(rows, "cost_usd", page.cost.scale, wide_y)
    };
    const at = (value, wide) => (wide ? Math.log10(value) : value);
    const places = {
      x: (row) => at(x_of(row), wide_x),
      y: (row) => at(y_of(row), wide_y),
      ranges: [xaxis.range, yaxis.range]
    };
    return {
      traces,
      layout: {
        showlegend: machines.length <= 10,
        xaxis,
        yaxis,
        annotations: names_of(rows, places, theme)
      }
    };
  };

  lapcast.chart({
    name: "cost-time",
    title: "Cost against time",
    section: "verdict",
    order: 1,
    first_screen: true,
    question:
        "Which choices are worth their money? Lower left is better; the line is the Pareto front.",
    height: ({ rows }) => (lapcast.narrow() ? 340 + 10 * Math.min(10, machines_of(rows).length)
                                            : Math.max(420, Math.min(680, innerHeight - 220))),
    data(page) {
      const rows = page.candidates().filter(
          (row) => lapcast.known(row.time_s) && lapcast.known(row.cost_usd));
      return rows.length > 1 ? { rows, page } : null;
    },
    figure: (data, theme) => lapcast.cost_time_figure(data, theme),
    click: (data, point, page) => {
      const row = data.rows.find((each) => each.index === point.customdata);
      if (row) page.show_row(row);
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      rank: ["rank", "number"],
      machine_type: ["machine"],
      settings: ["settings", "settings"],
      provenance: ["from"],
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
