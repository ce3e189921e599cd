// What the others would need to be the first choice, one thing at a time.
{
  const {format, label} = lapcast;
  const price = (usd) => `${format.dollars(usd)} per hour`;
  const KINDS = [
    {name: 'price', now: 'price_usd_per_hour', needed: 'needed_price_usd_per_hour', text: price},
    {name: 'training time', now: 'training_s', needed: 'needed_training_s', text: format.duration},
    {name: 'epochs', now: 'epochs', needed: 'needed_epochs', text: format.number}
  ];

  // Returns by which share a thing would have to fall; null where nothing of it is enough.
  const fall = (row, {now, needed}) =>
      (row[now] > 0 && lapcast.known(row[needed]) ? Math.max(0, 1 - row[needed] / row[now]) : null);

  // The columns of `rank --explain`, which leaves out what is known of no row.
  const COLUMNS = {
    rank: ['#', 'number'],
    machine_type: ['machine'],
    settings: ['settings', 'settings'],
    offer: ['offer'],
    price_usd_per_hour: ['price', 'usd'],
    needed_price_usd_per_hour: ['at most', 'usd'],
    training_s: ['training', 'time'],
    needed_training_s: ['at most', 'time'],
    epochs: ['epochs', 'number'],
    needed_epochs: ['at most', 'number'],
    between_interruptions_s: ['interrupted every', 'time'],
    needed_between_interruptions_s: ['at least', 'time'],
    utilisation: ['used', 'share'],
    needed_utilisation: ['at least', 'share']
  };

  const names_of = (rows) =>
      lapcast.distinct(rows.map((row) => `${row.rank}. ${lapcast.short_name(row)}`));

  lapcast.chart({
    name: 'sensitivity',
    title: 'What others would need to be first',
    section: 'choices',
    order: 8,
    question: 'By how much would the price, the training time or the epochs of another choice ' +
        'have to fall? One thing at a time; without a bar nothing of it is enough.',
    height: ({rows, kinds}) => lapcast.bars_height(
        names_of(rows), kinds.map((kind) => kind.name), Math.max(1, kinds.length * 0.7)),
    data(page) {
      const all = (page.data.rank?.explanation ?? [])
                      .filter((row) => (row.ranking ?? 1) === page.ranking)
                      .slice(0, 10);
      const kinds = KINDS.filter((kind) => all.some((row) => fall(row, kind) !== null));
      return kinds.length > 0 ? {rows: all, kinds} : null;
    },
    figure({rows, kinds}, theme) {
      const names = names_of(rows);
      return {
        traces: kinds.map((kind, k) => {
          const mine = rows.map((row, i) => ({row, name: names[i], value: fall(row, kind)}))
                           .filter((each) => each.value !== null);
          return {
            type: 'bar',
            orientation: 'h',
            name: kind.name,
            y: mine.map((each) => each.name),
            x: mine.map((each) => 100 * each.value),
            hoverinfo: 'text',
            hovertext: mine.map(
                ({row, name, value}) => `${name}<br>${kind.name}: at most ${
                    label(kind.text(row[kind.needed]))} instead of ${
                    label(kind.text(row[kind.now]))}<br>${format.share(value)} less`),
            marker: {color: theme.colours[k % 8]}
          };
        }),
        layout: {
          barmode: 'group',
          showlegend: true,
          xaxis: {title: 'less than now (%)', type: 'linear', range: [0, 103]},
          yaxis: {
            type: 'category',
            range: [names.length - 0.5, -0.5],
            categoryorder: 'array',
            categoryarray: names
          },
          bargap: 0.3
        }
      };
    },
    table: ({rows}) => {
      const used = Object.entries(COLUMNS).filter(([key]) => rows.some((row) => row[key] !== null));
      return lapcast.columns_table(rows, Object.fromEntries(used));
    },
  });
}
