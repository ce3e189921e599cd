// How sure the ranking is: the probability of each choice to be the best.
{
  const { format, label } = lapcast;
  const key_of = (page) =>
      ((page.ranking_row().by === "time" || !page.priced()) ? "p_fastest" : "p_cheapest");

  const names_of = (rows) => rows.map((row) => `${row.rank}. ${lapcast.short_name(row)}`);

  lapcast.chart({
    name: "chances",
    title: "How sure is the first place?",
    section: "choices",
    order: 1,
    question: "With which probability is each choice the best of all?",
    height: ({ rows }) => lapcast.bars_height(names_of(rows)),
    data(page) {
      const key = key_of(page);
      const rows = page.candidates().filter((row) => lapcast.known(row[key])).slice(0, 12);
      return rows.length > 1 ? { rows, key } : null;
    },
    figure({ rows, key }, theme) {
      const names = names_of(rows);
      const shown = rows.map((row) => Math.min(0.99, Math.max(0.01, row[key])));
      return {
        traces: [{
          type: "bar",
          orientation: "h",
          y: names,
          x: shown.map((value) => 100 * value),
          hoverinfo: "text",
          hovertext: rows.map((row, i) => `${names[i]}<br>${label(format.chance(row[key]))}`),
          text: rows.map((row) => label(format.chance(row[key]))),
          textposition: "outside",
          cliponaxis: false,
          // What was not measured is hollow.
          marker: {
            color: rows.map((row) => ((row.provenance ?? "measured") !== "measured" ? theme.paper
                                          : row.rank === 1 ? theme.accent : theme.muted)),
            line: {
              width: 1.5,
              color: rows.map((row) => (row.rank === 1 ? theme.accent : theme.muted))
            }
          }
        }],
        layout: {
          showlegend: false,
          xaxis: {
            title: key === "p_fastest" ? "P(fastest), %" : "P(cheapest), %",
            range: [0, lapcast.narrow() ? 140 : 112],
            type: "linear",
            tickvals: [0, 25, 50, 75, 100]
          },
          yaxis: { type: "category", autorange: "reversed" },
          bargap: 0.35
        },
      };
    },
    table: ({ rows, key }) => lapcast.columns_table(rows, {
      rank: ["rank", "number"],
      machine_type: ["machine"],
      settings: ["settings", "settings"],
      [key]: ["probability", "chance"]
    }),
  });
}
