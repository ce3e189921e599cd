// Time, money and energy of the choices: points, and the Pareto front of all three.
{
  const {format, label} = lapcast;

  const kwh = (value) => `${format.number(value)} kWh`;

  const hover = (row, page) => {
    const bounds = format.bounds(kwh, row.energy_kwh_low, row.energy_kwh_high);
    return [
      `<b>${label(lapcast.name_of(row))}</b>`, `time ${format.duration(row.time_s)}`,
      lapcast.known(row.cost_usd) ?
          `cost ${format.dollars(row.cost_usd * page.cost.scale)}${page.cost.after}` :
          '',
      `energy ${kwh(row.energy_kwh)}${bounds && ` (${bounds})`}, ${label(row.energy_source, 24)}`,
      lapcast.known(row.co2e_g) ? `CO2e ${format.number(row.co2e_g)} g` : '',
      row.pareto ? 'on the Pareto front' : ''
    ].filter(Boolean)
        .join('<br>');
  };

  lapcast.chart({
    name: 'energy',
    title: 'Time, money and energy',
    section: 'choices',
    order: 9,
    question: 'Which choices are worth their time, money and energy? Full points are on the ' +
        'Pareto front of all three, large points are dear, lines are 95 % intervals.',
    height: ({rows}) => 380 + 4 * Math.min(10, rows.length),
    data(page) {
      const rows = (page.data.rank?.energy ?? [])
                       .filter(
                           (row) => (row.ranking ?? 1) === page.ranking && row.time_s > 0 &&
                               row.energy_kwh > 0);
      return rows.length > 1 ? {rows, page} : null;
    },
    figure({rows, page}, theme) {
      const unit = format.time_unit(Math.max(...rows.map((row) => row.time_s)));
      const dearest = Math.max(...rows.map((row) => row.cost_usd ?? 0));
      const size = (row) => (dearest > 0 ? 7 + 17 * Math.sqrt((row.cost_usd ?? 0) / dearest) : 11);
      const machines = [...new Set(rows.map((row) => row.machine_type))];
      const colour = lapcast.colours_for(theme, machines);
      const is_wide = (values) => Math.max(...values) > 12 * Math.min(...values);
      const wide = is_wide(rows.map((row) => row.time_s));
      const bounds = rows.flatMap(
          (row) => [row.energy_kwh_low ?? row.energy_kwh, row.energy_kwh_high ?? row.energy_kwh]);
      const wide_energy = Math.min(...bounds) > 0 && is_wide(bounds);
      return {
        traces: machines.map((machine) => {
          const mine = rows.filter((row) => row.machine_type === machine);
          const own = colour(machine);
          return {
            type: 'scatter',
            mode: 'markers',
            name: lapcast.wrapped(machine),
            x: mine.map((row) => row.time_s / unit.size),
            y: mine.map((row) => row.energy_kwh),
            hoverinfo: 'text',
            hovertext: mine.map((row) => hover(row, page)),
            error_y: {
              type: 'data',
              symmetric: false,
              color: lapcast.faded(own, 0.4),
              thickness: 1.2,
              width: 0,
              array: mine.map(
                  (row) => Math.max(0, (row.energy_kwh_high ?? row.energy_kwh) - row.energy_kwh)),
              arrayminus: mine.map(
                  (row) => Math.max(0, row.energy_kwh - (row.energy_kwh_low ?? row.energy_kwh)))
            },
            marker: {
              size: mine.map(size),
              color: mine.map((row) => (row.pareto ? own : lapcast.faded(own, 0.25))),
              line: {width: 1.5, color: mine.map(() => own)}
            }
          };
        }),
        layout: {
          showlegend: machines.length <= 10,
          xaxis: {
            title: `time of the whole training${wide ? ', logarithmic' : ` (${unit.name})`}`,
            ...lapcast.span(rows, 'time_s', 1 / unit.size, wide)
          },
          yaxis: {
            title: `energy (kWh)${wide_energy ? ', logarithmic' : ''}`,
            ...lapcast.span(rows, 'energy_kwh', 1, wide_energy)
          }
        }
      };
    },
    table: ({rows}) => lapcast.columns_table(rows, {
      rank: ['rank', 'number'],
      machine_type: ['machine'],
      settings: ['settings', 'settings'],
      offer: ['offer'],
      time_s: ['time', 'time'],
      cost_usd: ['cost', 'usd'],
      energy_kwh: ['kWh', 'number'],
      energy_kwh_low: ['from', 'number'],
      energy_kwh_high: ['to', 'number'],
      co2e_g: ['g CO2e', 'number'],
      energy_source: ['energy by'],
      pareto: ['Pareto front', 'truth']
    }),
  });
}
