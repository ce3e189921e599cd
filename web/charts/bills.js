// What a training costs, part by part.
{
  const { format, label } = lapcast;

  lapcast.chart({
    name: "bills", title: "What the bill is made of", section: "choices", order: 2,
    question: "What of the bill is training, and what is booting and rounding up?",
    height: ({ rows }) => 100 + 26 * rows.length,
    data(page) {
      const rows = page.candidates().filter((row) => row.bill?.lines?.length > 0).slice(0, 12);
      const parts = [...new Set(rows.flatMap((row) => row.bill.lines.map((line) => line.what)))].slice(0, 8);
      return rows.length > 0 && parts.length > 1 ? { rows, parts, cost: page.cost } : null;
    },
    figure({ rows, parts, cost }, theme) {
      const names = rows.map((row) => `${row.rank}. ${label([row.machine_type, format.settings(row.settings)].join(" "), 30)}`);
      const usd = (row, part) => row.bill.lines.filter((line) => line.what === part).reduce((sum, line) => sum + line.usd, 0);
      return {
        traces: parts.map((part, i) => ({ type: "bar", orientation: "h", name: label(part, 24), y: names, x: rows.map((row) => usd(row, part) * cost.scale),
          hoverinfo: "text", hovertext: rows.map((row, r) => `${names[r]}<br>${label(part)}: ${format.dollars(usd(row, part) * cost.scale)}${cost.after}`),
          marker: { color: theme.colours[i % theme.colours.length] } })),
        layout: { barmode: "stack", xaxis: { title: `bill (${cost.unit})`, type: "linear", rangemode: "tozero" }, yaxis: { type: "category", autorange: "reversed" }, bargap: 0.35 },
      };
    },
    table: ({ rows, parts }) => ({
      columns: [{ key: "rank", kind: "number" }, { key: "machine_type", title: "machine" }, { key: "settings", kind: "settings" },
        ...parts.map((part) => ({ key: lapcast.safe(part, 40), kind: "usd" })), { key: "total_usd", title: "total", kind: "usd" }],
      rows: rows.map((row) => [row.rank, row.machine_type, format.settings(row.settings),
        ...parts.map((part) => row.bill.lines.find((line) => line.what === part)?.usd ?? 0), row.bill.total_usd]),
    }),
  });
}
