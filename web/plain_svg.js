// Draws charts without a library, as static SVG: the same traces (scatter, bar, heatmap and box, as
// far as the charts of this page use them). What the pointer would show is a title of each mark.
{
  const NS = "http://www.w3.org/2000/svg";
  const node = (name, attributes = {}, ...children) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };

  // Returns the lines of a text with the simple markup that charts use.
  const lines_of = (text) => String(text ?? "").split("<br>").map((line) => line.replace(/<\/?b>/g, "")
    .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&"));
  const plain = (text) => lines_of(text).join("\n");
  const titled = (element, text) => {
    if (text) element.append(node("title", {}, plain(text)));
    return element;
  };
  const text_at = (x, y, text, colour, anchor = "start", size = 12) =>
    node("text", { x, y, fill: colour, "text-anchor": anchor, "font-size": size }, plain(text));
  const of = (value, i) => (Array.isArray(value) ? value[i] : value);

  // Returns the outline of a marker around (x, y).
  const marker = (symbol, x, y, size) => {
    const r = size / 2;
    const shapes = {
      square: `M${x - r},${y - r}h${size}v${size}h${-size}z`, diamond: `M${x},${y - 1.3 * r}L${x + 1.3 * r},${y}L${x},${y + 1.3 * r}L${x - 1.3 * r},${y}z`,
      "triangle-up": `M${x},${y - r}L${x + r},${y + r}H${x - r}z`, "triangle-down": `M${x},${y + r}L${x + r},${y - r}H${x - r}z`,
      x: `M${x - r},${y - r}l${size},${size}m0,${-size}l${-size},${size}`, "line-ns": `M${x},${y - r}v${size}`,
    };
    return shapes[symbol] ?? `M${x - r},${y}a${r},${r} 0 1,0 ${size},0a${r},${r} 0 1,0 ${-size},0z`;
  };

  const points_of = (trace, axes) => (trace.x ?? []).map((x, i) => {
    const y = trace.y?.[i];
    if (x === null || y === null || x === undefined || y === undefined) return null;
    const at = [axes.x.place(x), axes.y.place(y)];
    return at.every(Number.isFinite) ? at : null;
  });

  // Returns the path of a line that may have gaps and may have steps ("hv").
  const path_of = (points, shape) => {
    let path = "";
    let before = null;
    for (const point of points) {
      if (point) path += !before ? `M${point[0]},${point[1]}` : shape === "hv" ? `H${point[0]}V${point[1]}` : `L${point[0]},${point[1]}`;
      before = point;
    }
    return path;
  };

  // Returns a line as single pieces where each has its own title, else as one path.
  const line_nodes = (trace, points) => {
    const look = { fill: "none", stroke: trace.line?.color, "stroke-width": trace.line?.width ?? 2, "stroke-dasharray": { dot: "2 3", dash: "6 4" }[trace.line?.dash] };
    if (look["stroke-width"] === 0) return [];
    if (!trace.x.includes(null) || trace.x.length > 6000) return [node("path", { ...look, d: path_of(points, trace.line?.shape) })];
    return points.map((point, i) => (point && points[i + 1] ? titled(node("path", { ...look, d: path_of([point, points[i + 1]]) }), of(trace.hovertext, i)) : null)).filter(Boolean);
  };

  const error_nodes = (trace, points, axes) => ["x", "y"].flatMap((letter) => {
    const error = trace[`error_${letter}`];
    if (!error) return [];
    return points.map((point, i) => {
      if (!point) return null;
      const value = Number(trace[letter][i]);
      const [low, high] = [axes[letter].place(value - (error.arrayminus?.[i] ?? 0)), axes[letter].place(value + (error.array?.[i] ?? 0))];
      if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
      const d = letter === "x" ? `M${low},${point[1]}H${high}` : `M${point[0]},${low}V${high}`;
      return node("path", { d, stroke: error.color, "stroke-width": error.thickness, fill: "none" });
    }).filter(Boolean);
  });

  const scatter = (trace, axes, before) => {
    const points = points_of(trace, axes);
    const nodes = [];
    if (trace.fill === "tonexty" && before) {
      const back = path_of([...before.points].filter(Boolean).reverse()).replace(/^M/, "L");
      nodes.push(node("path", { d: `${path_of(points.filter(Boolean), trace.line?.shape)}${back}z`, fill: trace.fillcolor, stroke: "none" }));
    }
    if (trace.mode.includes("lines")) nodes.push(...line_nodes(trace, points));
    nodes.push(...error_nodes(trace, points, axes));
    if (trace.mode.includes("markers")) {
      points.forEach((point, i) => {
        if (!point) return;
        const symbol = of(trace.marker?.symbol, i) ?? "circle";
        const open = symbol === "x" || symbol === "line-ns";
        nodes.push(titled(node("path", { class: "mark", d: marker(symbol, point[0], point[1], of(trace.marker?.size, i) ?? 6), fill: open ? "none" : of(trace.marker?.color, i),
          stroke: open ? of(trace.marker?.color, i) : of(trace.marker?.line?.color, i), "stroke-width": open ? 2 : of(trace.marker?.line?.width, i) ?? 0 }), of(trace.hovertext, i)));
      });
    }
    return { nodes, points };
  };

  // Keeps where stacks end, and which of several bars in a group comes next.
  const bar = (trace, axes, state) => {
    const [along, across] = trace.orientation === "h" ? ["x", "y"] : ["y", "x"];
    const side = state.group.indexOf(trace);
    const nodes = trace[along].map((value, i) => {
      const place = trace[across][i];
      const base = (state.mode === "stack" ? state.ends.get(place) ?? 0 : 0) + (trace.base?.[i] ?? 0);
      if (state.mode === "stack") state.ends.set(place, base + value);
      const band = axes[across].band ? axes[across].band * 0.65 : Math.abs(axes[across].place((of(trace.width, i) ?? 0.7)) - axes[across].place(0));
      const thick = state.mode === "group" ? band / state.group.length : band;
      const middle = axes[across].place(place) + (state.mode === "group" ? (side - (state.group.length - 1) / 2) * thick : 0);
      const [a, b] = [axes[along].place(base), axes[along].place(base + value)];
      const box = along === "x" ? { x: Math.min(a, b), y: middle - thick / 2, width: Math.abs(b - a), height: thick }
        : { x: middle - thick / 2, y: Math.min(a, b), width: thick, height: Math.abs(b - a) };
      return titled(node("rect", { class: "mark", ...box, fill: of(trace.marker?.color, i) }), of(trace.hovertext, i));
    });
    return { nodes };
  };

  const mixed = (scale, share) => {
    const upper = Math.max(1, scale.findIndex(([at]) => at >= share));
    const [[a, from], [b, to]] = [scale[upper - 1], scale[upper]];
    const part = (share - a) / (b - a || 1);
    const channel = (at) => Math.round(parseInt(from.slice(at, at + 2), 16) * (1 - part) + parseInt(to.slice(at, at + 2), 16) * part);
    return `rgb(${channel(1)},${channel(3)},${channel(5)})`;
  };

  const heatmap = (trace, axes) => {
    const flat = trace.z.flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...flat), Math.max(...flat)];
    const nodes = trace.z.flatMap((line, r) => line.map((value, c) => (value === null ? null : titled(node("rect", { class: "mark",
      x: axes.x.place(trace.x[c]) - axes.x.band / 2 + 1, y: axes.y.place(trace.y[r]) - axes.y.band / 2 + 1, width: axes.x.band - 2, height: axes.y.band - 2,
      fill: mixed(trace.colorscale, high > low ? (value - low) / (high - low) : 0.5) }), trace.hovertext?.[r]?.[c])))).filter(Boolean);
    return { nodes };
  };

  const box = (trace, axes) => {
    const sorted = [...trace.y].sort((a, b) => a - b);
    const at = (share) => axes.y.place(lapcast.quantile(sorted, share));
    const middle = axes.x.place(trace.name);
    const half = Math.min(60, axes.x.band * 0.3);
    const look = { fill: "none", stroke: trace.line.color, "stroke-width": 1.5 };
    const nodes = [node("rect", { ...look, fill: trace.fillcolor, x: middle - half, y: at(0.75), width: 2 * half, height: Math.max(1, at(0.25) - at(0.75)) }),
      node("path", { ...look, d: `M${middle - half},${at(0.5)}h${2 * half}M${middle},${at(0.25)}V${at(0)}M${middle},${at(0.75)}V${at(1)}` })];
    trace.y.forEach((value, i) => nodes.push(titled(node("path", { class: "mark", d: marker("circle", middle + half * 0.7 * (((i * 7) % 11) / 5.5 - 1), axes.y.place(value), 6),
      fill: trace.marker.color }), of(trace.hovertext, i))));
    return { nodes };
  };

  // Returns the places of all axes of a layout within the picture.
  const axes_of = (traces, layout, area) => {
    const axes = {};
    for (const [key, axis] of Object.entries(layout)) {
      const found = /^([xy])axis(\d*)$/.exec(key);
      if (!found) continue;
      const [, letter, number] = found;
      const mine = traces.filter((trace) => (trace[`${letter}axis`] ?? letter) === letter + number);
      const [low, high] = axis.domain ?? [0, 1];
      const [from, to] = letter === "x" ? [area.left, area.right] : [area.bottom - low * (area.bottom - area.top), area.bottom - high * (area.bottom - area.top)];
      axes[letter + number] = { ...lapcast.plain_scale(axis, letter, mine, layout.barmode, from, to), axis, from, to, letter };
    }
    return axes;
  };

  const widest = (traces, layout) => {
    let longest = 4;
    for (const trace of traces)
      if (layout[`yaxis${(trace.yaxis ?? "y").slice(1)}`]?.type === "category") for (const name of trace.y ?? []) longest = Math.max(longest, plain(name).length);
    return Math.min(220, 7 * longest + 14);
  };

  const axis_nodes = (scale, area, theme) => {
    const is_x = scale.letter === "x";
    const nodes = scale.ticks.filter((tick, i) => !is_x || scale.ticks.length * 34 < area.right - area.left || i % Math.ceil((scale.ticks.length * 34) / (area.right - area.left)) === 0).flatMap((tick) => [
      scale.axis.showgrid === false ? null : node("path", { d: is_x ? `M${tick.at},${area.top}V${area.bottom}` : `M${area.left},${tick.at}H${area.right}`, stroke: theme.line, fill: "none" }),
      is_x ? text_at(tick.at, area.bottom + 16, tick.text, theme.muted, "middle") : text_at(area.left - 6, tick.at + 4, tick.text, theme.muted, "end")]);
    const title = scale.axis.title?.text;
    if (title && is_x) nodes.push(text_at((area.left + area.right) / 2, area.bottom + 36, title, theme.muted, "middle"));
    if (title && !is_x) {
      const middle = (scale.from + scale.to) / 2;
      const text = text_at(14, middle, title, theme.muted, "middle");
      text.setAttribute("transform", `rotate(-90 14 ${middle})`);
      nodes.push(text);
    }
    return nodes.filter(Boolean);
  };

  const legend_nodes = (traces, layout, area, theme) => {
    if (layout.showlegend === false) return [];
    let x = area.left;
    return traces.filter((trace) => trace.name && trace.showlegend !== false).flatMap((trace) => {
      const text = plain(trace.name);
      const colour = of(trace.marker?.color, 0) ?? trace.line?.color;
      const nodes = [node("rect", { x, y: area.top - 21, width: 10, height: 10, fill: colour }), text_at(x + 14, area.top - 12, text, theme.text)];
      x += 26 + 7 * text.length;
      return x < area.right + 40 ? nodes : [];
    });
  };

  const shape_nodes = (layout, axes, area) => (layout.shapes ?? []).map((shape) => {
    const x = (value) => (shape.xref === "paper" ? area.left + value * (area.right - area.left) : axes.x.place(value));
    const y = (value) => (shape.yref === "paper" ? area.bottom - value * (area.bottom - area.top) : axes.y.place(value));
    return node("path", { d: `M${x(shape.x0)},${y(shape.y0)}L${x(shape.x1)},${y(shape.y1)}`, stroke: shape.line.color, "stroke-width": shape.line.width, "stroke-dasharray": "2 3", fill: "none" });
  });

  const annotation_nodes = (layout, axes, area) => (layout.annotations ?? []).map((note) => {
    const value = (axis, at) => (axis.axis.type === "log" ? 10 ** at : at);
    const x = note.xref === "paper" ? area.left + note.x * (area.right - area.left) : axes.x.place(value(axes.x, note.x));
    const y = note.yref === "paper" ? area.bottom - note.y * (area.bottom - area.top) : axes.y.place(value(axes.y, note.y));
    const anchor = { left: "start", right: "end" }[note.xanchor] ?? "middle";
    const lift = { bottom: -4, top: 12 }[note.yanchor] ?? 4;
    return text_at(x + (note.xshift ?? 0), y - (note.yshift ?? 0) + lift, note.text, note.font.color, anchor, note.font.size);
  });

  // Draws traces into an element, in place of what it held. layout is complete, as for Plotly.
  lapcast.plain_svg = (element, traces, layout, theme) => {
    const width = Math.max(280, element.clientWidth || 600);
    const { height } = layout;
    const named = layout.showlegend !== false && traces.filter((trace) => trace.name && trace.showlegend !== false).length > 1;
    const y_title = Object.entries(layout).some(([key, axis]) => /^yaxis/.test(key) && axis.title);
    const area = { left: widest(traces, layout) + (y_title ? 24 : 0), right: width - 16, top: named ? 34 : 18, bottom: height - (layout.xaxis?.title ? 46 : 26) };
    const axes = axes_of(traces, layout, area);
    const bars = { mode: layout.barmode ?? "group", ends: new Map(), group: traces.filter((trace) => trace.type === "bar") };
    const clip = `clip-${Math.random().toString(36).slice(2)}`;
    const drawn = node("g", { "clip-path": `url(#${clip})` });
    let before = null;
    for (const trace of traces) {
      const own = { x: axes.x, y: axes[trace.yaxis ?? "y"] };
      before = { scatter: () => scatter(trace, own, before), bar: () => bar(trace, own, bars), heatmap: () => heatmap(trace, own), box: () => box(trace, own) }[trace.type]();
      drawn.append(node("g", { class: "trace", "data-points": before.nodes.length }, ...before.nodes));
    }
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width: "100%", height, "font-family": theme.font, class: "plain" },
      node("defs", {}, node("clipPath", { id: clip }, node("rect", { x: area.left - 8, y: area.top - 12, width: area.right - area.left + 16, height: area.bottom - area.top + 20 }))),
      node("rect", { width, height, fill: theme.paper }), ...Object.values(axes).flatMap((axis) => axis_nodes(axis, area, theme)),
      ...shape_nodes(layout, axes, area), drawn, ...annotation_nodes(layout, axes, area), ...legend_nodes(named ? traces : [], layout, area, theme));
    element.replaceChildren(svg);
  };
}
