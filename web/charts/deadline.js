// What a training costs at least, by deadline and by way of paying.
{
  const {format, label} = lapcast;
  const NAMES = {'on-demand': 'on demand'};

  // Returns the steps of a way of paying as points, the last of which is the end of the drawing.
  const points_of = (rows, end) => {
    const last = rows.at(-1);
    return last.deadline_s < end ? [...rows, {...last, deadline_s: end, is_end: true}] : rows;
  };

  const hover = (row, page) => `${label(NAMES[row.terms] ?? row.terms)}: ${
      format.dollars(row.cost_usd * page.cost.scale)}${page.cost.after}<br>from ${
      format.duration(row.deadline_s)} on<br>${label(lapcast.name_of(row))}`;

  lapcast.chart({
    name: 'deadline',
    title: 'Cost against deadline',
    section: 'choices',
    order: 7,
    question: 'What does the training cost at least until a deadline, with each way of paying? A ' +
        'chance to be late that was asked for is kept; else the middle of the time counts.',
    height: 360,
    data(page) {
      const rows = (page.data.rank?.deadline_costs ?? [])
                       .filter(
                           (row) => (row.ranking ?? 1) === page.ranking && row.deadline_s > 0 &&
                               lapcast.known(row.cost_usd));
      return rows.length > 1 ? {rows, page} : null;
    },
    figure({rows, page}, theme) {
      const times = rows.map((row) => row.deadline_s);
      const wanted = rows.map((row) => row.wanted_s).find((time) => time > 0) ?? 0;
      const end = Math.max(4 * Math.min(...times), 1.2 * Math.max(...times), 1.2 * wanted);
      const unit = format.time_unit(end);
      const costs = rows.map((row) => row.cost_usd);
      const wide = end > 12 * Math.min(...times);
      const wide_cost = Math.min(...costs) > 0 && Math.max(...costs) > 12 * Math.min(...costs);
      const terms = [...new Set(rows.map((row) => row.terms))];
      const points = terms.map((each) => points_of(rows.filter((row) => row.terms === each), end));
      const marks = wanted > 0 ? [wanted] : [];
      return {
        traces: terms.map(
            (each, i) => ({
              type: 'scatter',
              mode: 'lines+markers',
              name: label(NAMES[each] ?? each, 24),
              x: points[i].map((row) => row.deadline_s / unit.size),
              y: points[i].map((row) => row.cost_usd * page.cost.scale),
              hoverinfo: 'text',
              hovertext: points[i].map((row) => hover(row, page)),
              line: {shape: 'hv', width: 2, color: theme.colours[i % 8]},
              marker:
                  {color: theme.colours[i % 8], size: points[i].map((row) => (row.is_end ? 0 : 8))}
            })),
        layout: {
          showlegend: true,
          xaxis: {
            title: wide ? 'deadline, logarithmic' : `deadline (${unit.name})`,
            ...lapcast.span(
                [...times, end].map((time_s) => ({time_s})), 'time_s', 1 / unit.size, wide)
          },
          yaxis: {
            title: `cost (${page.cost.unit})${wide_cost ? ', logarithmic' : ''}`,
            ...lapcast.span(rows, 'cost_usd', page.cost.scale, wide_cost)
          },
          shapes: marks.map((time) => ({
                              type: 'line',
                              x0: time / unit.size,
                              x1: time / unit.size,
                              yref: 'paper',
                              y0: 0,
                              y1: 1,
                              line: {color: theme.muted, width: 1, dash: 'dot'}
                            })),
          annotations: marks.map((time) => ({
                                   x: wide ? Math.log10(time / unit.size) : time / unit.size,
                                   yref: 'paper',
                                   y: 0.97,
                                   xanchor: 'left',
                                   xshift: 4,
                                   text: 'deadline'
                                 }))
        }
      };
    },
    table: ({rows}) => lapcast.columns_table(rows, {
      terms: ['way of paying'],
      deadline_s: ['from', 'time'],
      cost_usd: ['cost', 'usd'],
      machine_type: ['machine'],
      settings: ['settings', 'settings'],
      offer: ['offer'],
      risk: ['chance to be late', 'share']
    }),
  });
}
