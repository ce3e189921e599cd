// The laps of one run over time, what happened meanwhile, and what the machine did.
{
  const { format, label } = lapcast;
  const KINDS =
      ["warm-up", "stall", "level-shift", "validation", "checkpoint", "epoch", "stage", "pause"];
  const MOST_MARKS = 4000;  // drawn of one kind

  const is_log = (data) => data.low > 0 && data.most > 12 * data.median;

  // Returns the load of the CPUs in each sample: who used how many of them; null where no sample lies in
  // the span that is shown.
  const load_of = async (run, [from, to]) => {
    const load = await lapcast.unpack(run.load);
    if (!load?.at_ns || !load.span_ns) return null;
    const at_s = new Float64Array(load.count);
    let now = 0;
    for (let i = 0; i < load.count; ++i) {
      now += load.at_ns[i];
      at_s[i] = now * 1e-9;
    }
    const lines =
        [
          ["run_ns", "CPUs of this program"], ["others_ns", "CPUs of other programs"],
          ["steal_ns", "CPUs taken by the host"], ["throttled_ns", "CPUs throttled"]
        ].filter(([key]) => load[key]?.some((value) => value > 0))
            .map(([key, name]) => ({
              key,
              name,
              cpus: load[key].map((value, i) => value / Math.max(1, load.span_ns[i]))
            }));
    const is_shown = lines.length > 0 && at_s.some((at) => at >= from && at <= to);
    return is_shown ? { at_s, lines } : null;
  };

  // Returns the traces of the laps themselves: of a million, those that make a difference.
  const lap_traces = (data, theme, unit, [from, to]) => {
    const { begin_s, time_s } = data.laps;
    // A lap of 0 s is one whose time is not known: it lies before the first one that was timed.
    const kept = lapcast.m4(begin_s, time_s, from, to).filter((i) => time_s[i] > 0);
    const warm_until = Math.max(
        0, ...data.marks.filter((mark) => mark.kind === "warm-up").map((mark) => mark.end_s));
    const hover = (i) => `lap ${i}${data.phase_of(i)}<br>${
        format.duration(time_s[i])}, begun after ${format.duration(begin_s[i])}`;
    const mode = kept.length > 400 ? "lines" : "lines+markers";
    const trace = (name, indexes, colour) => ({
      type: "scatter",
      mode,
      name,
      x: indexes.map((i) => begin_s[i] / unit.x.size),
      y: indexes.map((i) => time_s[i] / unit.y.size),
      hoverinfo: "text",
      hovertext: indexes.map(hover),
      line: { width: 1, color: colour },
      marker: { size: 4, color: colour }
    });
    return [
      trace("warm-up laps", kept.filter((i) => begin_s[i] < warm_until), theme.colours[1]),
      trace("laps", kept.filter((i) => begin_s[i] >= warm_until), theme.accent)
    ].filter((each) => each.x.length > 0);
  };

  // Returns a strip with one lane for each kind of event, as thick lines from begin to end.
  const mark_traces = (data, theme, unit, [from, to]) => data.kinds.map((kind, lane) => {
    const all =
        data.marks.filter((mark) => mark.kind === kind && mark.end_s >= from && mark.begin_s <= to);
    const step = Math.max(1, Math.ceil(all.length / MOST_MARKS));
    const marks = all.filter((_, i) => i % step === 0);
    const least = (to - from) / 500;  // so that a moment is seen, too
    const text = (mark) => `${label(kind)}${mark.text ? `: ${label(mark.text, 80)}` : ""}<br>${
        format.duration(mark.begin_s)}, lasts ${format.duration(mark.end_s - mark.begin_s)}`;
    return {
      type: "scatter",
      mode: "lines",
      yaxis: "y2",
      name: kind,
      showlegend: false,
      connectgaps: false,
      hoverinfo: "text",
      x: marks.flatMap((mark) => [mark.begin_s / unit.x.size,
                           Math.max(mark.end_s, mark.begin_s + least) / unit.x.size, null]),
      y: marks.flatMap(() => [kind, kind, null]),
      hovertext: marks.flatMap((mark) => [text(mark), text(mark), ""]),
      line: { width: 9, color: kind === "stall" ? theme.bad : theme.colours[(lane + 1) % 8] }
    };
  });

  const load_traces = ({ load }, theme, unit, [from, to]) => load.lines.map((line, i) => {
    const kept = lapcast.m4(load.at_s, line.cpus, from, to, 300);
    return {
      type: "scatter",
      mode: "lines",
      yaxis: "y3",
      name: line.name,
      x: kept.map((k) => load.at_s[k] / unit.x.size),
      y: kept.map((k) => line.cpus[k]),
      hoverinfo: "text",
      hovertext: kept.map((k) => `${line.name}: ${format.number(line.cpus[k])}`),
      line: { width: 1.5, color: theme.colours[[0, 4, 3, 6][i % 4]] }
    };
  });

  // Returns the time that is shown: the whole run, or only its laps where the start takes most of it.
  const whole_span = ({ begin_s, end_s }) => {
    const lasting = end_s - begin_s[0];
    return [lasting < 0.25 * end_s ? begin_s[0] - 0.1 * lasting : 0, end_s];
  };

  // Returns where the three panels lie, from the lowest: load, events, laps.
  const domains = (data) => {
    const load = data.load ? 0.25 : 0;
    const lanes = data.kinds.length > 0 ? Math.min(0.3, 0.03 + 0.05 * data.kinds.length) : 0;
    return { load: [0, load - 0.05], lanes: [load, load + lanes - 0.03], laps: [load + lanes, 1] };
  };

  lapcast.chart({
    name: "laps",
    title: "Laps over time",
    section: "runs",
    order: 1,
    wide: true,
    per_run: true,
    zooms: true,
    question: "Were the laps steady, what interrupted them, and what did the machine do meanwhile?",
    height: (data) =>
        330 + (data?.kinds.length ? 20 + 22 * data.kinds.length : 0) + (data?.load ? 110 : 0),
    shows: (page) => page.runs.some((run) => run.laps?.count > 0),
    async data(page) {
      const laps = await lapcast.laps_of(page.run);
      if (!laps) return null;
      const marks = (page.run.marks ?? [])
                        .filter((mark) => lapcast.known(mark.begin_s))
                        .map((mark) => ({...mark, end_s: mark.end_s ?? mark.begin_s }));
      const phases = page.run.phases ?? [];
      const sorted = laps.time_s.filter((time) => time > 0).sort();
      if (sorted.length === 0) return null;
      return {
        laps,
        marks,
        kinds: KINDS.filter((kind) => marks.some((mark) => mark.kind === kind)),
        load: await load_of(page.run, whole_span(laps)),
        median: lapcast.quantile(sorted, 0.5),
        most: sorted[sorted.length - 1],
        low: sorted.find((time) => time > 0) ?? 0,
        phase_of: (i) =>
            (phases.length > 1 && laps.phase ? `, phase ${label(phases[laps.phase[i]], 30)}` : "")
      };
    },
    figure(data, theme, view) {
      const unit = {
        x: format.time_unit(data.laps.end_s),
        y: format.time_unit(is_log(data) ? data.median : data.most)
      };
      const span = view ? view.map((value) => value * unit.x.size) : whole_span(data.laps);
      const place = domains(data);
      const log = is_log(data);
      const shift = data.marks.filter((mark) => mark.kind === "level-shift").slice(0, 40);
      const layout = {
        xaxis: {
          title: `since the start of the run (${unit.x.name})`,
          type: "linear",
          range: whole_span(data.laps).map((value) => value / unit.x.size),
          anchor: data.load       ? "y3"
              : data.kinds.length ? "y2"
                                  : "y"
        },
        yaxis: {
          title: log ? "lap, log" : `lap (${unit.y.name})`,
          type: "linear",
          rangemode: log ? "normal" : "tozero",
          domain: place.laps,
          fixedrange: true,
          ...(log ? lapcast.log_axis(data.low, data.most, 1 / unit.y.size, true) : {})
        },
        shapes: shift.map((mark) => ({
          type: "line",
          x0: mark.begin_s / unit.x.size,
          x1: mark.begin_s / unit.x.size,
          yref: "paper",
          y0: place.laps[0],
          y1: 1,
          line: { color: theme.bad, width: 1, dash: "dot" }
        })),
        hovermode: "closest",
      };
      let traces = lap_traces(data, theme, unit, span);
      if (data.kinds.length > 0) {
        layout.yaxis2 = {
          type: "category",
          domain: place.lanes,
          categoryorder: "array",
          categoryarray: [...data.kinds].reverse(),
          range: [-0.6, data.kinds.length - 0.4],
          dtick: 1,
          fixedrange: true,
          showgrid: false
        };
        traces = traces.concat(mark_traces(data, theme, unit, span));
      }
      if (data.load) {
        layout.yaxis3 = {
          title: "CPUs",
          type: "linear",
          rangemode: "tozero",
          domain: place.load,
          fixedrange: true,
          nticks: 4
        };
        traces = traces.concat(load_traces(data, theme, unit, span));
      }
      return { traces, layout };
    },
    table: ({ laps }) => ({
      columns: [
        { key: "lap", kind: "number" }, { key: "begin_s", title: "begun after", kind: "time" },
        { key: "lap_s", title: "lap", kind: "time" }, { key: "samples", kind: "number" }
      ],
      rows: Array.from({ length: laps.count },
          (_, i) => [i, laps.begin_s[i], laps.time_s[i], laps.samples?.[i] ?? null]),
    }),
  });
}
