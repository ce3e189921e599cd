// Learning curves with the forecast of epochs to come as a fan.
{
  const { format, label } = lapcast;

  // Returns a fan from the last point of a curve to the epochs at which the target is expected.
  const fan_traces = (fan, colour) => {
    const last = fan.points.at(-1);
    const { epochs, epochs_low, epochs_high, within_epochs, reached } = fan.needed;
    if (reached || ![fan.target, epochs, epochs_low].every(lapcast.known)) return [];
    const high = epochs_high ?? within_epochs ?? epochs;  // without, it may never be reached
    const line = (x, more) => ({
      type: "scatter",
      mode: "lines",
      x,
      y: x.map((epoch) => (epoch === last.epoch ? last.value : fan.target)),
      showlegend: false,
      hoverinfo: "text",
      hovertext: `${label(fan.name)}<br>${format.number(epochs)} epochs (${
          format.bounds(format.number, epochs_low, epochs_high)})`,
      ...more
    });
    return [
      line([last.epoch, epochs_low], { line: { width: 0, color: colour } }),
      line([last.epoch, high], {
        fill: "tonexty",
        fillcolor: lapcast.faded(colour, 0.16),
        line: { width: 0, color: colour }
      }),
      line([last.epoch, epochs], { line: { width: 1.5, dash: "dash", color: colour } })
    ];
  };

  lapcast.chart({
    name: "learning",
    title: "Learning curves and their forecast",
    section: "learning",
    order: 1,
    wide: true,
    question: "When will the target be reached? The fans open to the 95 % intervals of the epochs " +
        "that are needed.",
    height: 400,
    data(page) {
      const fans =
          (page.data.epochs?.fans ?? []).filter((fan) => fan.points?.length > 0).slice(0, 6);
      const needed = (fan) => page.data.epochs.epochs?.find((row) => row.run === fan.run) ?? {};
      const machine = (fan) => page.runs.find((run) => run.run?.id === fan.run)?.run ?? needed(fan);
      return fans.length > 0 ? {
        fans: fans.map((fan) => ({
          ...fan,
          needed: needed(fan),
          name: lapcast.name_of({ machine_type: fan.run, ...machine(fan) })
        }))
      }
                             : null;
    },
    figure({ fans }, theme) {
      const traces =
          fans.flatMap((fan, i) => {
                const colour = theme.colours[i % 8];
                const hover = (point) => `${label(fan.name)}<br>epoch ${point.epoch}: ${
                    format.number(point.value)}`;
                return [
                  ...fan_traces(fan, colour),
                  {
                    type: "scatter",
                    mode: "lines+markers",
                    name: lapcast.wrapped(fan.name),
                    x: fan.points.map((point) => point.epoch),
                    y: fan.points.map((point) => point.value),
                    line: { width: 2, color: colour },
                    marker: { size: 5, color: colour },
                    hoverinfo: "text",
                    hovertext: fan.points.map(hover)
                  }
                ];
              })
              .filter((trace) => trace.x.length > 0);
      const targets = [...new Set(fans.map((fan) => fan.target).filter(lapcast.known))];
      return {
        traces,
        layout: {
          xaxis: { title: "epoch", type: "linear", rangemode: "tozero" },
          yaxis: { title: label(fans[0].metric ?? "metric", 30), type: "linear" },
          shapes: targets.map((target) => ({
            type: "line",
            xref: "paper",
            x0: 0,
            x1: 1,
            y0: target,
            y1: target,
            line: { color: theme.text, width: 1, dash: "dot" }
          })),
          annotations: targets.map((target) => ({
            xref: "paper",
            x: 0.005,
            xanchor: "left",
            y: target,
            yanchor: "bottom",
            text: `target ${format.round_number(target)}`
          })),
        }
      };
    },
    table: ({ fans }) => ({
      columns: [
        { key: "run" }, { key: "metric" }, { key: "epoch", kind: "number" },
        { key: "value", kind: "number" }
      ],
      rows: fans.flatMap(
          (fan) => fan.points.map((point) => [fan.run, fan.metric, point.epoch, point.value]))
    }),
  });

  lapcast.chart({
    name: "epochs-needed",
    title: "Epochs until the target",
    section: "learning",
    order: 2,
    wide: true,
    question: "How many epochs does each candidate need, and how likely is it to get there?",
    height: ({ rows }) => lapcast.bars_height(
        rows.map((row) => lapcast.short_name(row)), ["forecast", "real"]),
    data(page) {
      const rows =
          (page.data.epochs?.epochs ?? []).filter((row) => lapcast.known(row.epochs)).slice(0, 20);
      return rows.length > 0 ? { rows } : null;
    },
    figure({ rows }, theme) {
      const names = lapcast.distinct(rows.map((row) => lapcast.short_name(row)));
      const real = rows.map((row, i) => ({ row, name: names[i] }))
                       .filter(({ row }) => lapcast.known(row.real_epochs));
      return {
        traces: [
          {
            type: "scatter",
            mode: "markers",
            name: "forecast",
            x: rows.map((row) => row.epochs),
            y: names,
            marker: { size: 10, color: theme.accent },
            hoverinfo: "text",
            hovertext: rows.map((row, i) => `${names[i]}<br>${format.number(row.epochs)} epochs (${
                                    format.bounds(format.number, row.epochs_low,
                                        row.epochs_high)})<br>reached with ${
                                    label(format.chance(row.chance_reached))}`),
            error_x: {
              type: "data",
              symmetric: false,
              color: theme.accent,
              thickness: 3,
              width: 0,
              array: rows.map((row) => Math.max(0, (row.epochs_high ?? row.epochs) - row.epochs)),
              arrayminus:
                  rows.map((row) => Math.max(0, row.epochs - (row.epochs_low ?? row.epochs)))
            }
          },
          {
            type: "scatter",
            mode: "markers",
            name: "real",
            x: real.map(({ row }) => row.real_epochs),
            y: real.map(({ name }) => name),
            marker: {
              symbol: "line-ns",
              size: 14,
              line: { width: 2, color: theme.text },
              color: theme.text
            },
            hoverinfo: "text",
            hovertext: real.map(({ row }) => `really ${format.number(row.real_epochs)} epochs`)
          }
        ].filter((trace) => trace.x.length > 0),
        layout: {
          xaxis: { title: "epochs", type: "linear", rangemode: "tozero" },
          yaxis: {
            type: "category",
            range: [rows.length - 0.5, -0.5],
            categoryorder: "array",
            categoryarray: names
          }
        }
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      run: ["run"],
      machine_type: ["machine"],
      settings: ["settings", "settings"],
      seen_epochs: ["seen", "number"],
      best: ["best so far", "number"],
      epochs: ["epochs", "number"],
      epochs_low: ["from", "number"],
      epochs_high: ["to", "number"],
      chance_reached: ["P(reached)", "chance"],
      real_epochs: ["real", "number"]
    }),
  });
}
