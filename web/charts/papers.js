// The figures of the papers, from their printed numbers and from runs of the user.
{
  const { format, label } = lapcast;
  const PAPERS = {
    malta: "Malta 2021",
    carneiro: "Carneiro 2018",
    kunas: "Künas 2023",
    review: "Review 2021",
    lawrence: "Lawrence 2017"
  };
  const paper_name = (paper) => PAPERS[paper] ?? lapcast.safe(paper, 30);
  const dollars = { cost: { scale: 1, after: "", unit: "$" } };
  const is_wide = (values) =>
      Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 12;

  // Returns how values of a unit are divided, named and written.
  const measure = (unit, values) => {
    if (unit === "s") return {...format.time_unit(Math.max(...values)), write: format.duration };
    const name = unit === "percent" ? "%" : unit === "ratio" ? "" : lapcast.safe(unit, 20);
    return { name, size: 1, write: (value) => `${format.number(value)} ${label(name)}`.trim() };
  };

  const value_axis = (title, unit, values) => {
    const { name, size } = measure(unit, values);
    const wide = is_wide(values);
    // The ticks of a logarithmic axis of times have units of their own.
    const in_unit = name && !(wide && unit === "s") ? ` (${label(name)})` : "";
    const text = `${label(title, 40)}${in_unit}${wide ? ", logarithmic" : ""}`;
    if (!wide) return { title: text, type: "linear", rangemode: "tozero" };
    const [low, high] = [Math.min(...values) / 1.3, Math.max(...values) * 1.3];
    return {
      title: text,
      ...lapcast.log_axis(low, high, 1 / size, unit === "s"),
      range: [Math.log10(low / size), Math.log10(high / size)]
    };
  };

  // Returns an axis of numbers: doubled ones, as batch sizes are, stand equally far apart.
  const number_axis = (title, values) => {
    const all = [...new Set(values)].sort((a, b) => a - b);
    const [low, high] = [all[0], all[all.length - 1]];
    const few = all.length > 2 && all.length <= 8;
    if (!(low > 0) || high / low < (few ? 8 : 50))
      return { title: label(title, 40), type: "linear" };
    const ticks = few ? { tickmode: "array", tickvals: all, ticktext: all.map(String) }
                      : lapcast.log_axis(low, high, 1, false);
    return {
      ...ticks,
      title: `${label(title, 40)}${few ? "" : ", logarithmic"}`,
      type: "log",
      range: [Math.log10(low) - 0.05, Math.log10(high) + 0.05]
    };
  };

  // Returns a series' name without what says whose it is.
  const bare = (name) => String(name).replace(/^(paper|yours): /, "");
  const points_of = (figure) => figure.series.flatMap((series) => series.points);

  const lines_figure = (figure, theme) => {
    const all = points_of(figure);
    const values = all.map((point) => point.y);
    const { size, write } = measure(figure.unit, values);
    const names = lapcast.distinct(figure.series.map((series) => lapcast.wrapped(series.name, 34)));
    const traces = figure.series.map(({ points, own }, i) => {
      const colour = theme.colours[i % 8];
      const trace = {
        type: "scatter",
        mode: "lines+markers",
        name: names[i],
        x: points.map((point) => point.x),
        y: points.map((point) => point.y / size),
        line: { color: colour, width: own ? 2.5 : 1.5, dash: own ? undefined : "dash" },
        marker: { color: colour, size: points.length > 40 ? 3 : 7, symbol: own ? "diamond" : "circle" },
        hoverinfo: "text",
        hovertext: points.map((point) => `${names[i]}<br>${label(figure.x, 30)} ${
                                  format.number(point.x)}: ${write(point.y)}`)
      };
      if (points.some((point) => lapcast.known(point.deviation))) {
        const ends = points.map((point) => (point.deviation ?? 0) / size);
        trace.error_y = {
          type: "data",
          symmetric: false,
          color: lapcast.faded(colour, 0.55),
          thickness: 1.2,
          width: 0,
          array: ends,
          arrayminus: ends.map((end, k) => Math.min(end, 0.9 * points[k].y / size))
        };
      }
      return trace;
    });
    return {
      traces,
      layout: {
        showlegend: true,
        xaxis: number_axis(figure.x, all.map((point) => point.x)),
        yaxis: value_axis(figure.y, figure.unit, values)
      }
    };
  };

  // Returns a point's value on a line between its points; null outside.
  const value_at = (points, x) => {
    const next = points.findIndex((point) => point.x >= x);
    if (next < 0 || (next === 0 && points[0].x !== x)) return null;
    if (points[next].x === x) return points[next].y;
    const [a, b] = [points[next - 1], points[next]];
    return a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x);
  };

  // Returns where another line becomes the lowest, between points that several lines have.
  const crossovers_of = (all) => {
    const places = [...new Set(all.flatMap(({ points }) => points.map((point) => point.x)))].sort(
        (a, b) => a - b);
    const best_at = (x) => {
      const known = all.filter(({ points }) => value_at(points, x) !== null);
      return known.length < 2 ? null : known.reduce((best, one) => (
          value_at(one.points, x) < value_at(best.points, x) ? one : best));
    };
    const found = [];
    places.slice(1).forEach((x, i) => {
      const [a, b] = [best_at(places[i]), best_at(x)];
      if (!a || !b || a === b) return;
      const gap = (at) => value_at(b.points, at) - value_at(a.points, at);
      const [before, after] = [gap(places[i]), gap(x)];
      const share = before / (before - after);
      if (Number.isFinite(share))
        found.push({ epochs: places[i] + share * (x - places[i]), machine_type_from: bare(b.name) });
    });
    return found;
  };

  const epochs_figure = (figure, theme) => lapcast.epochs_figure({
    lines: figure.series.map(({ name, points }) => ({
      row: { machine_type: name },
      name,
      points: points.map(({ x, y }) => ({ epochs: x, time_s: y }))
    })),
    crossovers: [true, false].flatMap(
        (own) => crossovers_of(figure.series.filter((series) => series.own === own)))
  }, theme);

  // Returns the choices of a figure, marked where none is both faster and cheaper.
  const cost_rows = (figure) => [true, false].flatMap((own) => {
    const rows = figure.series.filter((series) => series.own === own)
                     .flatMap(({ name, points }) => points.map((point) => ({
                       machine_type: own ? name : bare(name),
                       settings: point.label ?? "",
                       time_s: point.x,
                       cost_usd: point.y,
                       front: own ? "yours" : "paper"
                     })))
                     .sort((a, b) => a.time_s - b.time_s || a.cost_usd - b.cost_usd);
    let cheapest = Infinity;
    for (const row of rows) {
      row.pareto = row.cost_usd < cheapest;
      cheapest = Math.min(cheapest, row.cost_usd);
    }
    return rows;
  });

  // Returns how many letters fit below each of so many boxes.
  const box_room = (count) => Math.max(9, Math.floor((lapcast.narrow() ? innerWidth - 90 : 500) / count / 7));

  const boxes_figure = (figure, theme) => {
    const all = points_of(figure);
    const values = all.map((point) => point.y);
    const { size, write } = measure(figure.unit, values);
    const labels = [...new Set(all.map((point) => point.label ?? ""))].slice(0, 24);
    const names = lapcast.distinct(labels.map((name) => lapcast.wrapped(name, box_room(labels.length))));
    const is_own = (name) => figure.series.some((series) => (
        series.own && series.points.some((point) => (point.label ?? "") === name)));
    return {
      traces: labels.map((name, i) => {
        const mine = all.filter((point) => (point.label ?? "") === name);
        return lapcast.box(names[i], mine.map((point) => point.y / size),
            mine.map((point) => `${names[i]}<br>${write(point.y)}`),
            theme.colours[is_own(name) ? 1 : 0]);
      }),
      layout: {
        showlegend: false,
        margin: { l: 56, r: 18, t: 10, b: 46 },
        xaxis: { type: "category" },
        yaxis: value_axis(figure.y, figure.unit, values)
      }
    };
  };

  const rows_of = (figure) => figure.series.flatMap(
      ({ name, own, points }) =>
          points.map((point) => ({...point, series: name, origin: own ? "yours" : "paper" })));

  const table_of = (figure) => {
    const kind = figure.unit === "s" ? "time" : "number";
    const labelled = ["bars", "stacks", "boxes"].includes(figure.kind);
    return lapcast.columns_table(rows_of(figure), {
      series: ["series"],
      ...(labelled || figure.kind === "cost-time" ? { label: ["label"] } : {}),
      ...(labelled ? {} : { x: [lapcast.safe(figure.x, 40), figure.kind === "cost-time" ? "time" : "number"] }),
      y: [lapcast.safe(figure.y || figure.x, 40), figure.kind === "cost-time" ? "usd" : kind],
      ...(points_of(figure).some((point) => point.deviation !== undefined)
              ? { deviation: ["deviation", kind] }
              : {})
    });
  };

  // Returns a chart of bars. Bars that have a label of their own need no place beside others.
  const bars_of = (figure, shared) => {
    const labels = points_of(figure).map((point) => point.label);
    const { name } = measure(figure.unit, [1]);
    return {
      ...lapcast.bar_chart({
        ...shared,
        rows: () => rows_of(figure),
        value: (row) => row.y,
        unit: figure.unit === "s" ? "s" : [label(figure.x, 40), name && figure.unit === "percent" ? "(%)" : ""].join(" ").trim(),
        row_name: (row) => row.label ?? "",
        series: figure.series.length > 1 ? (row) => row.series : undefined,
        stack: figure.kind === "stacks" || new Set(labels).size === labels.length,
        kind: figure.unit === "s" ? "time" : "number"
      }),
      table: () => table_of(figure)
    };
  };

  const FIGURES = {
    lines: lines_figure,
    epochs: epochs_figure,
    boxes: boxes_figure,
    "cost-time": (figure, theme) => lapcast.cost_time_figure(
        { rows: cost_rows(figure), page: dollars }, theme)
  };

  const height_of = ({ kind, series }) => {
    const rows = Math.ceil(series.length / (lapcast.narrow() ? 1 : 3));
    return kind === "boxes" ? 380 : 340 + 20 * rows;
  };

  const chart_of = (figure, order) => {
    const shared = {
      name: `paper-${figure.paper}-${figure.figure}`.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
      title: `${paper_name(figure.paper)}, figure ${lapcast.safe(figure.figure, 12)}: ${
          lapcast.safe(figure.shows, 100)}`,
      section: "papers",
      order,
      question: lapcast.safe(figure.caption, 500)
    };
    if (figure.kind === "bars" || figure.kind === "stacks") return bars_of(figure, shared);
    return {
      ...shared,
      height: height_of(figure),
      data: () => figure,
      figure: FIGURES[figure.kind],
      table: table_of
    };
  };

  lapcast.family((page) => (page.data.papers?.charts ?? []).map(chart_of));

  // Returns the table of all figures: what each is drawn from, or why it is not.
  lapcast.papers_table = (page) => {
    const rows = page.data.papers?.figures ?? [];
    if (rows.length === 0) return null;
    const { columns, rows: cells } = lapcast.columns_table(
        rows.map((row) => ({...row, paper: paper_name(row.paper) })), {
          paper: ["paper"],
          figure: ["figure"],
          shows: ["shows"],
          drawn_from: ["drawn from"],
          with_own_runs: ["yours beside it", "truth"],
          command: ["own runs by"],
          note: ["note"]
        });
    return lapcast.table({
      columns,
      rows: cells,
      caption: "Figures of the papers",
      filter: "Filter: paper, figure …",
      limit: 40
    });
  };
}
