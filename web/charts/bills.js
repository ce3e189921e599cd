// What a training costs, part by part.
{
  const { format } = lapcast;

  lapcast.chart({
    name: "bills",
    title: "What the bill is made of",
    section: "choices",
    order: 2,
    question: "What of the bill is training, and what is booting and rounding up?",
    height: ({ rows, parts }) => lapcast.bars_height(rows.length, parts.length),
    data(page) {
      const rows = page.candidates().filter((row) => row.bill?.lines?.length > 0).slice(0, 12);
      const names = rows.flatMap((row) => row.bill.lines.map((line) => line.what));
      const parts = [...new Set(names)].sort((a, b) => (b === "training") - (a === "training"));
      const all = (what) => rows.flatMap((row) => row.bill.lines)
                              .filter((line) => line.what === what)
                              .reduce((sum, line) => sum + line.usd, 0);
      const rest = parts.slice(1).reduce((sum, part) => sum + all(part), 0);
      // A bill that is nearly all training needs no picture.
      if (parts.length < 2 || rest < 0.005 * all(parts[0])) return null;
      return { rows, parts, cost: page.cost };
    },
    figure({ rows, parts, cost }, theme) {
      const usd = (i, part) => cost.scale * rows[i].bill.lines
                                                .filter((line) => line.what === part)
                                                .reduce((sum, line) => sum + line.usd, 0);
      return lapcast.stacked_bars({
        names: rows.map((row) => `${row.rank}. ${lapcast.short_name(row)}`),
        parts,
        value: usd,
        hover: (i, part) => `${format.dollars(usd(i, part))}${cost.after}`,
        axis: `bill (${cost.unit})`,
        colours: parts.map((part) => theme.colours[lapcast.bill_colour(part)])
      });
    },
    table: ({ rows, parts }) => ({
      columns: [
        { key: "rank", kind: "number" }, { key: "machine_type", title: "machine" },
        { key: "settings", kind: "settings" },
        ...parts.map((part) => ({ key: lapcast.safe(part, 40), kind: "usd" })),
        { key: "total_usd", title: "total", kind: "usd" }
      ],
      rows: rows.map(
          (row) => [row.rank, row.machine_type, format.settings(row.settings),
              ...parts.map((part) => row.bill.lines.find((line) => line.what === part)?.usd ?? 0),
              row.bill.total_usd]),
    }),
  });
}
