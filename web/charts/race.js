// A race as a timeline: who ran when, who was stopped when and why.
{
  const { format, label } = lapcast;

  const labels_of = (rows, names) => lapcast.distinct(names.map(
      (name) => lapcast.short_name(rows.find((row) => lapcast.name_of(row) === name))));
  const searched = (row) => lapcast.wrapped(String(row.search).replaceAll("-", " "), 24);

  lapcast.chart({
    name: "race",
    title: "The race as a timeline",
    section: "race",
    order: 1,
    wide: true,
    question: "Who ran when, and who was stopped why? A cross ends a candidate that was out, a " +
        "star marks a pick.",
    height: ({ rows, names }) => lapcast.bars_height(
        labels_of(rows, names), [...new Set(rows.map((row) => `round ${row.round}`))]),
    data(page) {
      const rows = (page.data.race?.timeline ?? []).filter((row) => row.end_s >= row.begin_s);
      if (rows.length === 0) return null;
      const names = [...new Set(rows.map(lapcast.name_of))].slice(0, 60);
      return {
        rows: rows.filter((row) => names.includes(lapcast.name_of(row))),
        names,
        picks: (page.data.race.picks ?? []).map((pick) => pick.run)
      };
    },
    figure({ rows, names, picks }, theme) {
      const unit = format.time_unit(Math.max(...rows.map((row) => row.end_s)));
      const rounds = [...new Set(rows.map((row) => row.round))].sort((a, b) => a - b).slice(0, 8);
      const picked = new Set(rows.filter((row) => picks.includes(row.run)).map(lapcast.name_of));
      const labels = labels_of(rows, names);
      const shown = (name) => `${picked.has(name) ? "★ " : ""}${labels[names.indexOf(name)]}`;
      const hover = (row) => `${label(lapcast.name_of(row))}<br>round ${row.round}, ${
                                 format.duration(row.begin_s)} to ${format.duration(row.end_s)}` +
          (row.out_reason ? `<br>${label(row.out_reason, 90)}` : "");
      const traces = rounds.map((round, i) => {
        const mine =
            rows.filter((row) => (round === rounds[7] ? row.round >= round : row.round === round));
        return {
          type: "bar",
          orientation: "h",
          name: `round ${round}`,
          y: mine.map((row) => shown(lapcast.name_of(row))),
          base: mine.map((row) => row.begin_s / unit.size),
          x: mine.map((row) => (row.end_s - row.begin_s) / unit.size),
          width: mine.map(() => 0.6),
          marker: { color: theme.colours[i % 8] },
          hoverinfo: "text",
          hovertext: mine.map(hover)
        };
      });
      const out = rows.filter((row) => row.out_reason);
      traces.push({
        type: "scatter",
        mode: "markers",
        name: "stopped",
        x: out.map((row) => row.end_s / unit.size),
        y: out.map((row) => shown(lapcast.name_of(row))),
        marker: { symbol: "x", size: 9, color: theme.bad },
        hoverinfo: "text",
        hovertext: out.map(hover)
      });
      return {
        traces,
        layout: {
          barmode: "overlay",
          xaxis: {
            title: `since the start of the race (${unit.name})`,
            type: "linear",
            rangemode: "tozero"
          },
          yaxis: {
            type: "category",
            autorange: "reversed",
            categoryorder: "array",
            categoryarray: names.map(shown)
          }
        }
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      machine_type: ["machine"],
      settings: ["settings", "settings"],
      round: ["round", "number"],
      begin_s: ["from", "time"],
      end_s: ["to", "time"],
      out_reason: ["why it was stopped"],
      run: ["run"]
    }),
  });

  lapcast.chart({
    name: "search-cost",
    title: "What the search cost",
    section: "race",
    order: 2,
    question: "What did the race take, against probing everything and training everything?",
    height: ({ rows }) => lapcast.bars_height(rows.map(searched)),
    data(page) {
      const rows = (page.data.race?.search_cost ?? []).filter((row) => lapcast.known(row.time_s));
      return rows.length > 0 ? { rows } : null;
    },
    figure({ rows }, theme) {
      const most = Math.max(...rows.map((row) => row.time_s));
      const unit = format.time_unit(most);
      return {
        traces: [{
          type: "bar",
          orientation: "h",
          y: rows.map(searched),
          x: rows.map((row) => row.time_s / unit.size),
          hoverinfo: "text",
          hovertext: rows.map((row) => `${label(row.search)}<br>${format.duration(row.time_s)}, ${
                                  format.dollars(row.cost_usd)}`),
          cliponaxis: false,
          text: rows.map((row) => format.duration(row.time_s)),
          textposition: "outside",
          marker: { color: rows.map((row) => (row.search === "race" ? theme.accent : theme.muted)) }
        }],
        layout: {
          showlegend: false,
          xaxis: {
            title: `machine time (${unit.name})`,
            type: "linear",
            range: [0, (lapcast.narrow() ? 1.5 : 1.2) * most / unit.size]
          },
          yaxis: { type: "category", autorange: "reversed" },
          bargap: 0.35
        }
      };
    },
    table: ({ rows }) => lapcast.columns_table(rows, {
      search: ["search"],
      time_s: ["time", "time"],
      cost_usd: ["cost", "usd"],
      race_share: ["race as a share", "share"]
    }),
  });
}
