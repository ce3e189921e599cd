// A trace of spot machines, and what a simulated job did on it.
{
  const {format, label} = lapcast;
  const MACHINES = 'machines';
  const TRAINING = 'training';

  // Returns the colour and the width of what a job does; a document may hold anything.
  const looks = (theme) => ({
    there: [theme.good, 8],
    'not recorded': [theme.line, 8],
    boot: [theme.colours[1], 22],
    restart: [theme.colours[6], 22],
    work: [theme.accent, 22],
    checkpoint: [theme.text, 22],
    'lost work': [theme.bad, 22],
    waiting: [theme.muted, 4]
  });

  // Returns the trace of Plotly for spans of one kind, on the line of machines or of the training.
  const bars = (spans, what, row, [color, width], unit) => {
    const mine = spans.filter((span) => span.what === what);
    const text = (span) => `${label(what)}, ${format.duration(span.end_s - span.begin_s)}<br>from ${
        format.duration(span.begin_s)}${
        span.checkpoints > 0 ? `<br>with ${format.number(span.checkpoints)} checkpoints` : ''}`;
    return {
      type: 'scatter',
      mode: 'lines',
      name: lapcast.wrapped(row === MACHINES && what === 'there' ? 'machines are there' : what, 24),
      connectgaps: false,
      line: {width, color},
      x: mine.flatMap((span) => [span.begin_s / unit.size, span.end_s / unit.size, null]),
      y: mine.flatMap(() => [row, row, null]),
      hoverinfo: 'text',
      hovertext: mine.flatMap((span) => [text(span), text(span), ''])
    };
  };

  const valid = (spans) => (Array.isArray(spans) ? spans : [])
                               .filter(
                                   (span) => lapcast.known(span?.begin_s) &&
                                       lapcast.known(span.end_s) && span.end_s > span.begin_s)
                               .map((span) => ({...span, what: lapcast.safe(span.what, 24)}));

  lapcast.chart({
    name: 'spot-job',
    title: 'The training on the trace',
    section: 'availability',
    order: 0,
    wide: true,
    question: 'When were the machines of the trace there, and what would the training have done ' +
        'then: work, checkpoints, lost work, restarts, waiting?',
    height: () => (lapcast.narrow() ? 290 : 230),
    data(page) {
      const trace = valid(page.data.spot?.trace);
      const steps = valid(page.data.spot?.steps);
      return steps.length > 0 ? {trace, steps} : null;
    },
    figure({trace, steps}, theme) {
      const end = Math.max(...steps.map((span) => span.end_s));
      const begin = Math.min(...steps.map((span) => span.begin_s));
      const unit = format.time_unit(end);
      const look = looks(theme);
      const kinds = (spans) => [...new Set(spans.map((span) => span.what))].slice(0, 8);
      const drawn = (spans, row) =>
          kinds(spans).map((what) => bars(spans, what, row, look[what] ?? [theme.muted, 8], unit));
      const room = 0.01 * (end - begin);
      return {
        traces: [
          ...drawn(trace.filter((span) => span.what !== 'absent'), MACHINES),
          ...drawn(steps, TRAINING)
        ],
        layout: {
          showlegend: true,
          xaxis: {
            title: `since the start of the trace (${unit.name})`,
            type: 'linear',
            range: [(begin - room) / unit.size, (end + room) / unit.size]
          },
          yaxis: {
            type: 'category',
            range: [1.6, -0.6],
            categoryorder: 'array',
            categoryarray: [MACHINES, TRAINING],
            showgrid: false
          }
        }
      };
    },
    table: ({trace, steps}) => ({
      columns: [
        {key: 'of'}, {key: 'what'}, {key: 'begin_s', title: 'from', kind: 'time'},
        {key: 'end_s', title: 'to', kind: 'time'}, {key: 'length_s', title: 'length', kind: 'time'},
        {key: 'checkpoints', title: 'checkpoints within', kind: 'number'}
      ],
      rows:
          [...steps.map((span) => [TRAINING, span]), ...trace.map((span) => [MACHINES, span])].map(
              ([of, span]) =>
                  [of, span.what, span.begin_s, span.end_s, span.end_s - span.begin_s,
                   span.checkpoints || null])
    }),
  });
}
