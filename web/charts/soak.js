// Availability: when machines were held, how long sessions last, and at which hours.
{
  const { format, label } = lapcast;
  const name_of = (row) => [row.machine, row.device].filter(Boolean).join(" ");

  lapcast.chart({
    name: "sessions",
    title: "Sessions over the days",
    section: "availability",
    order: 1,
    wide: true,
    question: "When was each machine held, and when was it taken away?",
    height: ({ names }) => 110 + 34 * names.length,
    data(page) {
      const rows = (page.data.soak?.sessions ?? [])
                       .filter((row) => Date.parse(row.begin) && Date.parse(row.end))
                       .slice(0, 3000);
      return rows.length > 0 ? { rows, names: [...new Set(rows.map(name_of))].slice(0, 40) } : null;
    },
    figure({ rows, names }, theme) {
      const fates = [...new Set(rows.map((row) => row.fate))].slice(0, 4);
      const day = (text) => new Date(text).toISOString().replace("Z", "");
      return {
        traces: fates.map((fate) => {
          const mine = rows.filter((row) => row.fate === fate && names.includes(name_of(row)));
          const text = (row) => `${label(name_of(row))}<br>${label(row.begin, 20)}, ${
              format.duration(row.length_s)}<br>${label(fate)}`;
          return {
            type: "scatter",
            mode: "lines",
            name: label(fate, 24),
            connectgaps: false,
            line: {
              width: 12,
              color: fate === "cut"                               ? theme.bad
                  : fate === fates.find((each) => each !== "cut") ? theme.accent
                                                                  : theme.muted
            },
            x: mine.flatMap((row) => [day(row.begin), day(row.end), null]),
            y: mine.flatMap((row) => [lapcast.wrapped(name_of(row), 26), lapcast.wrapped(name_of(row), 26), null]),
            hoverinfo: "text",
            hovertext: mine.flatMap((row) => [text(row), text(row), ""])
          };
        }),
        layout: {
          xaxis: { title: "UTC", type: "date" },
          yaxis: {
            type: "category",
            range: [names.length - 0.5, -0.5],
            categoryorder: "array",
            categoryarray: names.map((name) => lapcast.wrapped(name, 26)),
            showgrid: false
          }
        }
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      machine: ["machine"],
      device: ["device"],
      begin: ["begin"],
      end: ["end"],
      length_s: ["length", "time"],
      fate: ["how it ended"],
      wait_s: ["wait for the next", "time"]
    }),
  });

  // Registers a chart of survival curves with their 95 % bands.
  const survival = (name, title, question, order, key) => lapcast.chart({
    name,
    title,
    question,
    order,
    section: "availability",
    data(page) {
      const rows = (page.data.soak?.[key] ?? []).filter((row) => lapcast.known(row.share));
      return rows.length > 0 ? { rows, names: [...new Set(rows.map(name_of))].slice(0, 8) } : null;
    },
    figure({ rows, names }, theme) {
      const unit = format.time_unit(Math.max(...rows.map((row) => row.time_s)));
      const traces = names.flatMap((machine, i) => {
        const steps = [{ time_s: 0, share: 1 }, ...rows.filter((row) => name_of(row) === machine)];
        const colour = theme.colours[i % 8];
        const x = steps.map((row) => row.time_s / unit.size);
        const line = (field, more) => ({
          type: "scatter",
          mode: "lines",
          name: field,
          x,
          y: steps.map((row) => 100 * (row[field] ?? row.share)),
          line: { shape: "hv", width: 0, color: colour },
          hoverinfo: "skip",
          showlegend: false,
          ...more
        });
        return [
          line("share_low"),
          line("share_high", { fill: "tonexty", fillcolor: lapcast.faded(colour, 0.13) }),
          line("share", {
            name: lapcast.wrapped(machine, 26),
            line: { shape: "hv", width: 2, color: colour },
            hoverinfo: "text",
            showlegend: true,
            hovertext: steps.map(
                (row) => `${label(machine)}<br>${format.share(row.share)} last longer than ${
                    format.duration(row.time_s)}${row.at_risk ? `<br>${row.at_risk} at risk` : ""}`)
          })
        ];
      });
      return {
        traces,
        layout: {
          xaxis: { title: `time (${unit.name})`, type: "linear", rangemode: "tozero" },
          yaxis: { title: "share that lasts longer (%)", type: "linear", range: [0, 103] }
        }
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      machine: ["machine"],
      device: ["device"],
      time_s: ["time", "time"],
      at_risk: ["at risk", "number"],
      ended: ["ended", "number"],
      share: ["share", "share"],
      share_low: ["from", "share"],
      share_high: ["to", "share"]
    }),
  });
  survival("session-survival", "How long sessions last",
      "Which share of sessions lasts longer than a time? (Kaplan and Meier, with 95 % bands.)", 2,
      "session_survival");
  survival("wait-survival", "How long a new session takes",
      "Which share of waits takes longer than a time? (Kaplan and Meier.)", 3, "wait_survival");

  lapcast.chart({
    name: "hours",
    title: "Availability by hour of day",
    section: "availability",
    order: 4,
    question: "At which hours (UTC) is a machine likely to be had?",
    data(page) {
      const rows = (page.data.soak?.hours ?? []).filter((row) => lapcast.known(row.availability));
      return rows.length > 0 ? { rows, names: [...new Set(rows.map(name_of))].slice(0, 8) } : null;
    },
    figure({ rows, names }, theme) {
      return {
        traces: names.map((machine, i) => {
          const mine = rows.filter((row) => name_of(row) === machine);
          return {
            type: "bar",
            name: lapcast.wrapped(machine, 26),
            x: mine.map((row) => row.hour),
            y: mine.map((row) => 100 * row.availability),
            marker: { color: theme.colours[i % 8] },
            hoverinfo: "text",
            hovertext: mine.map((row) => `${label(machine)}, ${row.hour} h<br>held ${
                                    format.share(row.availability)} of the wanted time`)
          };
        }),
        layout: {
          barmode: "group",
          xaxis: {
            title: "hour of the day (UTC)",
            type: "linear",
            tickvals: [0, 3, 6, 9, 12, 15, 18, 21],
            range: [-0.7, 23.7]
          },
          yaxis: { title: "availability (%)", type: "linear", range: [0, 103] }
        }
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      machine: ["machine"],
      device: ["device"],
      hour: ["hour", "number"],
      held_s: ["held", "time"],
      wanted_s: ["wanted", "time"],
      availability: ["availability", "share"]
    }),
  });
}
