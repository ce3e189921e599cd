// Machine x setting as heat maps: time, cost and accuracy of each combination.
{
  const { format, label } = lapcast;

  // Returns the setting that the columns stand for: batch, or the one with the most values.
  const setting_of = (rows) => {
    const values = Object.create(null);
    for (const row of rows)
      for (const [name, value] of Object.entries(row.settings ?? {}))
        (values[name] ??= new Set()).add(value);
    const names = Object.keys(values).filter((name) => values[name].size > 1);
    return names.find((name) => /batch/i.test(name)) ??
        names.sort((a, b) => values[b].size - values[a].size)[0];
  };

  const value_of = (row, setting) =>
      (Object.hasOwn(row.settings ?? {}, setting) ? row.settings[setting] : undefined);

  // Returns the grid of the best value of each combination.
  const grid_of = (page, key, best) => {
    const rows = page.candidates().filter((row) => lapcast.known(row[key]));
    const setting = setting_of(rows);
    if (!setting) return null;
    const order = (a, b) =>
        (typeof a === "number" && typeof b === "number" ? a - b
                                                        : String(a).localeCompare(String(b)));
    const columns = [
      ...new Set(rows.map((row) => value_of(row, setting)).filter((value) => value !== undefined))
    ].sort(order).slice(0, 24);
    const machines = [...new Set(rows.map((row) => row.machine_type))].slice(0, 24);
    if (machines.length < 2 || columns.length < 2) return null;
    const values = machines.map((machine) => columns.map((column) => {
      const mine =
          rows.filter((row) => row.machine_type === machine && value_of(row, setting) === column)
              .map((row) => row[key]);
      return mine.length > 0 ? best(...mine) : null;
    }));
    // Where nearly every machine ran with values of its own, there is nothing to compare.
    const filled = values.flat().filter(lapcast.known).length;
    if (4 * filled < machines.length * columns.length) return null;
    return { setting, columns, machines, values, key, cost: page.cost };
  };

  const HEATS = [
    {
      key: "time_s",
      name: "heat-time",
      what: "Time",
      kind: "time",
      best: Math.min,
      order: 3,
      text: (value) => format.duration(value)
    },
    {
      key: "cost_usd",
      name: "heat-cost",
      what: "Cost",
      kind: "usd",
      best: Math.min,
      order: 4,
      text: (value, data) => format.dollars(value * data.cost.scale)
    },
    {
      key: "accuracy",
      name: "heat-accuracy",
      what: "Accuracy",
      kind: "share",
      best: Math.max,
      order: 5,
      text: (value) => `${(100 * value).toFixed(1)} %`
    },
  ];

  // Returns the values as notes on their cells, as long as all of them fit.
  lapcast.heat_notes = (columns, texts, theme) => {
    const room = (lapcast.narrow() ? innerWidth - 130 : 400) / columns;
    const letters = (text) => text.replace(/&\w+;/g, "&").length;
    if (texts.flat().some((text) => 7 * letters(text) > room)) return [];
    const font = { size: 12, color: theme.text };
    return texts.flatMap((line, r) => line.map((text, c) => ({ x: c, y: r, text, font })))
        .filter((note) => note.text);
  };

  const figure = (heat, data, theme) => {
    const scale = heat.best === Math.max
        ? theme.scale
        : theme.scale.map(([at], i) => [at, theme.scale[2 - i][1]]);
    const flat = data.values.flat().filter(lapcast.known);
    const log = heat.best === Math.min && Math.min(...flat) > 0;
    const shade = (value) => (value === null ? null : log ? Math.log10(value) : value);
    const texts = data.values.map(
        (line) => line.map((value) => (value === null ? "" : heat.text(value, data))));
    return {
      traces: [{
        type: "heatmap",
        x: lapcast.distinct(data.columns.map((value) => label(value, 14))),
        y: lapcast.distinct(data.machines.map((name) => label(name, 22))),
        z: data.values.map((line) => line.map(shade)),
        colorscale: scale,
        showscale: false,
        xgap: 2,
        ygap: 2,
        text: texts,
        hoverinfo: "text",
        hovertext: data.values.map(
            (line, r) =>
                line.map((value, c) => `${label(data.machines[r])}, ${label(data.setting, 20)} ${
                             label(data.columns[c], 14)}<br>${texts[r][c] || "not measured"}`))
      }],
      layout: {
        xaxis: { title: label(data.setting, 30), type: "category", showgrid: false },
        yaxis: { type: "category", autorange: "reversed", showgrid: false },
        annotations: lapcast.heat_notes(data.columns.length, texts, theme),
      },
    };
  };

  for (const heat of HEATS) {
    lapcast.chart({
      name: heat.name,
      title: `${heat.what} by machine and setting`,
      section: "choices",
      order: heat.order,
      question:
          `Which combination has the best ${heat.what.toLowerCase()}? Deeper green is better.`,
      height: (data) => 90 + 40 * data.machines.length,
      data: (page) => grid_of(page, heat.key, heat.best),
      figure: (data, theme) => figure(heat, data, theme),
      table: (data) => ({
        columns: [
          { key: "machine_type", title: "machine" },
          ...data.columns.map((value) => ({ key: `${data.setting}=${value}`, kind: heat.kind }))
        ],
        rows: data.machines.map((machine, r) => [machine, ...data.values[r]]),
      }),
    });
  }
}
