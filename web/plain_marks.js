// Draws the marks of charts without a library, as SVG: the same traces (scatter, bar, heatmap and
// box, as far as charts here use them). What the pointer would show is a title of each mark.
{
  const NS = "http://www.w3.org/2000/svg";
  const node = (name, attributes = {}, ...children) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes))
      if (value !== undefined && value !== null) element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  };

  // Returns the lines of a text with the simple markup that charts use.
  const lines_of = (text) => String(text ?? "")
                                 .split("<br>")
                                 .map((line) => line.replace(/<\/?b>/g, "")
                                                    .replace(/&lt;/g, "<")
                                                    .replace(/&gt;/g, ">")
                                                    .replace(/&amp;/g, "&"));
  const plain = (text) => lines_of(text).join("\n");
  const titled = (element, text) => {
    if (text) element.append(node("title", {}, plain(text)));
    return element;
  };
  // Returns a text whose lines stand below each other; `place` says whether they begin at y ("top")
  // or have their middle there.
  const text_at = (x, y, text, colour, anchor = "start", size = 12, place = "middle") => {
    const lines = lines_of(text);
    const begin = y - (place === "top" ? 0 : 0.6 * size * (lines.length - 1));
    return node("text", { x, y: begin, fill: colour, "text-anchor": anchor, "font-size": size },
        ...lines.map((line, i) => (i === 0 ? line : node("tspan", { x, dy: 1.2 * size }, line))));
  };
  const of = (value, i) => (Array.isArray(value) ? value[i] : value);

  // Returns the outline of a marker around (x, y).
  const marker = (symbol, x, y, size) => {
    const r = size / 2;
    const shapes = {
      square: `M${x - r},${y - r}h${size}v${size}h${- size}z`,
      diamond: `M${x},${y - 1.3 * r}L${x + 1.3 * r},${y}L${x},${y + 1.3 * r}L${x - 1.3 * r},${y}z`,
      "triangle-up": `M${x},${y - r}L${x + r},${y + r}H${x - r}z`,
      "triangle-down": `M${x},${y + r}L${x + r},${y - r}H${x - r}z`,
      x: `M${x - r},${y - r}l${size},${size}m0,${- size}l${- size},${size}`,
      "line-ns": `M${x},${y - r}v${size}`,
    };
    return shapes[symbol] ??
        `M${x - r},${y}a${r},${r} 0 1,0 ${size},0a${r},${r} 0 1,0 ${- size},0z`;
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
      if (point)
        path += !before ? `M${point[0]},${point[1]}`
            : shape === "hv" ? `H${point[0]}V${point[1]}`
                             : `L${point[0]},${point[1]}`;
      before = point;
    }
    return path;
  };

  // Returns a line as single pieces where each has its own title, else as one path.
  const line_nodes = (trace, points) => {
    const look = {
      fill: "none",
      stroke: trace.line?.color,
      "stroke-width": trace.line?.width ?? 2,
      "stroke-dasharray": { dot: "2 3", dash: "6 4" }[trace.line?.dash]
    };
    if (look["stroke-width"] === 0) return [];
    if (!trace.x.includes(null) || trace.x.length > 6000)
      return [node("path", {...look, d: path_of(points, trace.line?.shape) })];
    return points
        .map((point, i) => (point && points[i + 1]
                     ? titled(node("path", {...look, d: path_of([point, points[i + 1]]) }),
                           of(trace.hovertext, i))
                     : null))
        .filter(Boolean);
  };

  const error_nodes = (trace, points, axes) => ["x", "y"].flatMap((letter) => {
    const error = trace[`error_${letter}`];
    if (!error) return [];
    return points
        .map((point, i) => {
          if (!point) return null;
          const value = Number(trace[letter][i]);
          const [low, high] = [
            axes[letter].place(value - (error.arrayminus?.[i] ?? 0)),
            axes[letter].place(value + (error.array?.[i] ?? 0))
          ];
          if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
          const d = letter === "x" ? `M${low},${point[1]}H${high}` : `M${point[0]},${low}V${high}`;
          return node(
              "path", { d, stroke: error.color, "stroke-width": error.thickness, fill: "none" });
        })
        .filter(Boolean);
  });

  const scatter = (trace, axes, before) => {
    const points = points_of(trace, axes);
    const nodes = [];
    if (trace.fill === "tonexty" && before) {
      const back = path_of([...before.points].filter(Boolean).reverse()).replace(/^M/, "L");
      nodes.push(node("path", {
        d: `${path_of(points.filter(Boolean), trace.line?.shape)}${back}z`,
        fill: trace.fillcolor,
        stroke: "none"
      }));
    }
    if (trace.mode.includes("lines")) nodes.push(...line_nodes(trace, points));
    nodes.push(...error_nodes(trace, points, axes));
    if (trace.mode.includes("markers")) {
      points.forEach((point, i) => {
        if (!point) return;
        const symbol = of(trace.marker?.symbol, i) ?? "circle";
        const open = symbol === "x" || symbol === "line-ns";
        nodes.push(titled(node("path", {
          class: "mark",
          d: marker(symbol, point[0], point[1], of(trace.marker?.size, i) ?? 6),
          fill: open ? "none" : of(trace.marker?.color, i),
          stroke: open ? of(trace.marker?.color, i) : of(trace.marker?.line?.color, i),
          "stroke-width": open ? 2 : of(trace.marker?.line?.width, i) ?? 0
        }),
            of(trace.hovertext, i)));
      });
    }
    return { nodes, points };
  };

  // Keeps where stacks end, and which of several bars in a group comes next.
  const bar = (trace, axes, state) => {
    const [along, across] = trace.orientation === "h" ? ["x", "y"] : ["y", "x"];
    const side = state.group.indexOf(trace);
    const nodes = trace[along].flatMap((value, i) => {
      const place = trace[across][i];
      const base =
          (state.mode === "stack" ? state.ends.get(place) ?? 0 : 0) + (trace.base?.[i] ?? 0);
      if (state.mode === "stack") state.ends.set(place, base + value);
      const band = axes[across].band
          ? axes[across].band * 0.65
          : Math.abs(axes[across].place((of(trace.width, i) ?? 0.7)) - axes[across].place(0));
      const thick = state.mode === "group" ? band / state.group.length : band;
      const middle = axes[across].place(place) +
          (state.mode === "group" ? (side - (state.group.length - 1) / 2) * thick : 0);
      const [a, b] = [axes[along].place(base), axes[along].place(base + value)];
      const box = along === "x"
          ? { x: Math.min(a, b), y: middle - thick / 2, width: Math.abs(b - a), height: thick }
          : { x: middle - thick / 2, y: Math.min(a, b), width: thick, height: Math.abs(b - a) };
      const rect = node("rect", { class: "mark", ...box, fill: of(trace.marker?.color, i) });
      const said = along === "x" && of(trace.text, i);
      const text = said ? [text_at(b + 4, middle + 4, said, "currentColor")] : [];
      return [titled(rect, of(trace.hovertext, i)), ...text];
    });
    return { nodes };
  };

  const mixed = (scale, share) => {
    const upper = Math.max(1, scale.findIndex(([at]) => at >= share));
    const [[a, from], [b, to]] = [scale[upper - 1], scale[upper]];
    const part = (share - a) / (b - a || 1);
    const channel = (at) => Math.round(parseInt(from.slice(at, at + 2), 16) * (1 - part) +
        parseInt(to.slice(at, at + 2), 16) * part);
    return `rgb(${channel(1)},${channel(3)},${channel(5)})`;
  };

  const heatmap = (trace, axes) => {
    const flat = trace.z.flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...flat), Math.max(...flat)];
    const share = (value) => (high > low ? (value - low) / (high - low) : 0.5);
    const cell = (value, r, c) => {
      if (value === null) return null;
      const x = axes.x.place(trace.x[c]) - axes.x.band / 2 + 1;
      const y = axes.y.place(trace.y[r]) - axes.y.band / 2 + 1;
      const size = { width: axes.x.band - 2, height: axes.y.band - 2 };
      const fill = mixed(trace.colorscale, share(value));
      return titled(
          node("rect", { class: "mark", x, y, ...size, fill }), trace.hovertext?.[r]?.[c]);
    };
    const cells = trace.z.flatMap((line, r) => line.map((value, c) => cell(value, r, c)));
    return { nodes: cells.filter(Boolean) };
  };

  const box = (trace, axes) => {
    const sorted = [...trace.y].sort((a, b) => a - b);
    const at = (share) => axes.y.place(lapcast.quantile(sorted, share));
    const middle = axes.x.place(trace.name);
    const half = Math.min(60, axes.x.band * 0.3);
    const look = { fill: "none", stroke: trace.line.color, "stroke-width": 1.5 };
    const nodes = [
      node("rect", {
        ...look,
        fill: trace.fillcolor,
        x: middle - half,
        y: at(0.75),
        width: 2 * half,
        height: Math.max(1, at(0.25) - at(0.75))
      }),
      node("path", {
        ...look,
        d: `M${middle - half},${at(0.5)}h${2 * half}M${middle},${at(0.25)}V${at(0)}M${middle},${
            at(0.75)}V${at(1)}`
      })
    ];
    trace.y.forEach((value, i) => nodes.push(titled(node("path", {
      class: "mark",
      d: marker("circle", middle + half * 0.7 * (((i * 7) % 11) / 5.5 - 1), axes.y.place(value), 6),
      fill: trace.marker.color
    }),
                        of(trace.hovertext, i))));
    return { nodes };
  };

  // Draws one trace. `before` is what the trace before it returned, `bars` is shared by all bars of
  // a chart. Returns the nodes.
  const draw = (trace, axes, before, bars) => {
    if (trace.type === "scatter") return scatter(trace, axes, before);
    if (trace.type === "bar") return bar(trace, axes, bars);
    return trace.type === "heatmap" ? heatmap(trace, axes) : box(trace, axes);
  };

  lapcast.plain_marks = { node, lines_of, plain, of, text_at, draw };
}
