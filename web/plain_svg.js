// Puts a chart together without a library, as static SVG: axes, legend, notes, and the marks.
{
  const { node, lines_of, plain, of, text_at, draw } = lapcast.plain_marks;

  // Returns the places of all axes of a layout within the picture.
  const axes_of = (traces, layout, area) => {
    const axes = {};
    for (const [key, axis] of Object.entries(layout)) {
      const found = /^([xy])axis(\d*)$/.exec(key);
      if (!found) continue;
      const [, letter, number] = found;
      const mine = traces.filter((trace) => (trace[`${letter}axis`] ?? letter) === letter + number);
      const [low, high] = axis.domain ?? [0, 1];
      const [from, to] = letter === "x" ? [area.left, area.right] : [
        area.bottom - low * (area.bottom - area.top), area.bottom - high * (area.bottom - area.top)
      ];
      axes[letter + number] = {
        ...lapcast.plain_scale(axis, letter, mine, layout.barmode, from, to),
        axis,
        from,
        to,
        letter
      };
    }
    return axes;
  };

  const widest = (traces, layout) => {
    let longest = 4;
    for (const trace of traces)
      if (layout[`yaxis${(trace.yaxis ?? "y").slice(1)}`]?.type === "category")
        for (const name of trace.y ?? [])
          longest = Math.max(longest, ...lines_of(name).map((line) => line.length));
    return Math.min(260, 7 * longest + 14);
  };

  // Returns how many lines the names below the picture have.
  const lines_below = (traces, layout) => {
    if (layout.xaxis?.type !== "category") return 1;
    const names = traces.flatMap((trace) => trace.x ?? [trace.name]);
    return Math.max(1, ...names.map((name) => lines_of(name).length));
  };

  const axis_nodes = (scale, area, theme) => {
    const is_x = scale.letter === "x";
    const nodes =
        scale.ticks
            .filter((tick, i) => !is_x || scale.ticks.length * 34 < area.right - area.left ||
                    i % Math.ceil((scale.ticks.length * 34) / (area.right - area.left)) === 0)
            .flatMap(
                (tick) => [scale.axis.showgrid === false ? null : node("path", {
                  d: is_x ? `M${tick.at},${area.top}V${area.bottom}`
                          : `M${area.left},${tick.at}H${area.right}`,
                  stroke: theme.line,
                  fill: "none"
                }),
                    is_x ? text_at(tick.at, area.bottom + 16, tick.text, theme.muted, "middle", 12,
                               "top")
                         : text_at(area.left - 6, tick.at + 4, tick.text, theme.muted, "end")]);
    const title = scale.axis.title?.text;
    if (title && is_x)
      nodes.push(
          text_at((area.left + area.right) / 2, area.bottom + 36, title, theme.muted, "middle"));
    if (title && !is_x) {
      const middle = (scale.from + scale.to) / 2;
      const text = text_at(14, middle, title, theme.muted, "middle");
      text.setAttribute("transform", `rotate(-90 14 ${middle})`);
      nodes.push(text);
    }
    return nodes.filter(Boolean);
  };

  // Returns the entries of the legend with their places, in as many rows as they need.
  const legend_of = (traces, layout, width) => {
    const named = traces.filter((trace) => trace.name && trace.showlegend !== false);
    if (!(layout.showlegend ?? named.length > 1)) return [];
    let [x, row] = [8, 0];
    return named.map((trace) => {
      const text = plain(trace.name).replace(/\n/g, " ");
      const room = 26 + 7 * text.length;
      if (x > 8 && x + room > width) [x, row] = [8, row + 1];
      const entry = { x, row, text, colour: of(trace.marker?.color, 0) ?? trace.line?.color };
      x += room;
      return entry;
    });
  };

  const legend_nodes = (legend, theme) => legend.flatMap(({ x, row, text, colour }) => [
    node("rect", { x, y: 7 + 18 * row, width: 10, height: 10, fill: colour }),
    text_at(x + 14, 16 + 18 * row, text, theme.text)
  ]);

  const shape_nodes = (layout, axes, area) => (layout.shapes ?? []).map((shape) => {
    const x = (value) => (shape.xref === "paper" ? area.left + value * (area.right - area.left)
                                                 : axes.x.place(value));
    const y = (value) => (shape.yref === "paper" ? area.bottom - value * (area.bottom - area.top)
                                                 : axes.y.place(value));
    return node("path", {
      d: `M${x(shape.x0)},${y(shape.y0)}L${x(shape.x1)},${y(shape.y1)}`,
      stroke: shape.line.color,
      "stroke-width": shape.line.width,
      "stroke-dasharray": "2 3",
      fill: "none"
    });
  });

  const annotation_nodes = (layout, axes, area) => (layout.annotations ?? []).map((note) => {
    const value = (axis, at) => (axis.axis.type === "log" ? 10 ** at : at);
    const x = note.xref === "paper" ? area.left + note.x * (area.right - area.left)
                                    : axes.x.place(value(axes.x, note.x));
    const y = note.yref === "paper" ? area.bottom - note.y * (area.bottom - area.top)
                                    : axes.y.place(value(axes.y, note.y));
    const anchor = { left: "start", right: "end" }[note.xanchor] ?? "middle";
    const lift = { bottom: -4, top: 12 }[note.yanchor] ?? 4;
    // A note above the picture stays within the drawing.
    return text_at(x + (note.xshift ?? 0), Math.max(12, y - (note.yshift ?? 0) + lift), note.text,
        note.font.color, anchor, note.font.size);
  });

  // Draws traces into an element, in place of what it held. layout is complete, as for Plotly.
  lapcast.plain_svg = (element, traces, layout, theme) => {
    const width = Math.max(280, element.clientWidth || 600);
    const { height } = layout;
    const legend = legend_of(traces, layout, width);
    const y_title = Object.entries(layout).some(([key, axis]) => /^yaxis/.test(key) && axis.title);
    const area = {
      left: widest(traces, layout) + (y_title ? 24 : 0),
      right: width - 16,
      top: legend.length > 0 ? 34 + 18 * legend.at(-1).row : 18,
      bottom: height - (layout.xaxis?.title ? 46 : 26) - 15 * (lines_below(traces, layout) - 1)
    };
    const axes = axes_of(traces, layout, area);
    const bars = {
      mode: layout.barmode ?? "group",
      ends: new Map(),
      group: traces.filter((trace) => trace.type === "bar")
    };
    const clip = `clip-${Math.random().toString(36).slice(2)}`;
    const drawn = node("g", { "clip-path": `url(#${clip})` });
    let before = null;
    for (const trace of traces) {
      const own = { x: axes.x, y: axes[trace.yaxis ?? "y"] };
      before = draw(trace, own, before, bars);
      drawn.append(
          node("g", { class: "trace", "data-points": before.nodes.length }, ...before.nodes));
    }
    const svg = node("svg", {
      viewBox: `0 0 ${width} ${height}`,
      width: "100%",
      height,
      "font-family": theme.font,
      class: "plain"
    },
        node("defs", {}, node("clipPath", { id: clip }, node("rect", {
          x: area.left - 8,
          y: area.top - 12,
          width: area.right - area.left + 16,
          height: area.bottom - area.top + 20
        }))),
        node("rect", { width, height, fill: theme.paper }),
        ...Object.values(axes).flatMap((axis) => axis_nodes(axis, area, theme)),
        ...shape_nodes(layout, axes, area), drawn, ...annotation_nodes(layout, axes, area),
        ...legend_nodes(legend, theme));
    element.replaceChildren(svg);
  };
}
