// What a training costs, part by part.
{
  const {format} = lapcast;
  const MOST_PARTS = 15;  // a bill of lapcast has fewer; what else a document has is "other"

  const names_of = (rows) => rows.map((row) => `${row.rank}. ${lapcast.short_name(row)}`);

  lapcast.chart({
    name: 'bills',
    title: 'What the bill is made of',
    section: 'choices',
    order: 2,
    question:
        'What of the bill is training, and what are boot, transfer, storage, tax and the rest?',
    height: ({rows, parts}) => lapcast.bars_height(names_of(rows), parts),
    data(page) {
      const shown = page.candidates().filter((row) => row.bill?.lines?.length > 0).slice(0, 12);
      const names = [...new Set(shown.flatMap((row) => row.bill.lines.map((line) => line.what)))];
      names.sort((a, b) => (b === 'training') - (a === 'training'));
      const kept = names.length > MOST_PARTS ? names.slice(0, MOST_PARTS - 1) : names;
      const parts = kept.length < names.length ? [...kept, 'other'] : names;
      const usd_of = (row, part) =>
          row.bill.lines.filter(({what}) => (kept.includes(what) ? what : 'other') === part)
              .reduce((sum, line) => sum + line.usd, 0);
      const rows = shown.map((row) => ({...row, usd: parts.map((part) => usd_of(row, part))}));
      const all = (p) => rows.reduce((sum, row) => sum + row.usd[p], 0);
      const rest = parts.slice(1).reduce((sum, _, p) => sum + all(p + 1), 0);
      // A bill that is nearly all training needs no picture.
      if (parts.length < 2 || rest < 0.005 * all(0)) return null;
      return {rows, parts, cost: page.cost};
    },
    figure({rows, parts, cost}, theme) {
      const usd = (i, part) => cost.scale * rows[i].usd[parts.indexOf(part)];
      return lapcast.stacked_bars({
        names: names_of(rows),
        parts,
        value: usd,
        hover: (i, part) => `${format.dollars(usd(i, part))}${cost.after}`,
        axis: `bill (${cost.unit})`,
        colours: parts.map((part) => {
          const {colour, opacity} = lapcast.bill_colour(part);
          return opacity < 1 ? lapcast.faded(theme.colours[colour], opacity) :
                               theme.colours[colour];
        })
      });
    },
    table: ({rows, parts}) => ({
      columns: [
        {key: 'rank', kind: 'number'}, {key: 'machine_type', title: 'machine'},
        {key: 'settings', kind: 'settings'},
        ...parts.map((part) => ({key: lapcast.safe(part, 40), kind: 'usd'})),
        {key: 'total_usd', title: 'total', kind: 'usd'}
      ],
      rows: rows.map(
          (row) =>
              [row.rank, row.machine_type, format.settings(row.settings), ...row.usd,
               row.bill.total_usd]),
    }),
  });
}
