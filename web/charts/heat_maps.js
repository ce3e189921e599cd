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

  // Returns the values as notes on the cells of the rows with these names: in two lines or in small
  // letters where the cells are narrow, and none where they do not fit at all.
  lapcast.heat_notes = (names, texts, theme) => {
    const columns = Math.max(1, texts[0]?.length ?? 0);
    const whole = lapcast.narrow() ? innerWidth - 55 : 520;
    const room = (whole - lapcast.label_width(names)) / columns;
    const fits = (all, size) => all.flat().every((text) => text.split("<br>").every(
        (line) => 0.58 * size * line.replace(/&\w+;/g, "&").length <= room));
    const folded = texts.map((line) => line.map((text) => text.replace(/^(\S+ \S+) /, "$1<br>")));
    for (const [all, size] of [[texts, 12], [folded, 12], [texts, 10], [folded, 10]]) {
      if (!fits(all, size)) continue;
      const font = { size, color: theme.text };
      return all.flatMap((line, r) => line.map((text, c) => ({ x: c, y: r, text, font })))
          .filter((note) => note.text);
    }
    return [];
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
        x: lapcast.distinct(data.columns.map((value) => lapcast.wrapped(value, 14))),
        y: lapcast.distinct(data.machines.map((name) => lapcast.wrapped(name, 22))),
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
        xaxis: { title: label(data.setting, 60), type: "category", showgrid: false },
        yaxis: { type: "category", autorange: "reversed", showgrid: false },
        annotations: lapcast.heat_notes(
            data.machines.map((name) => lapcast.wrapped(name, 22)), texts, theme),
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
