// Frames of charts: title, question, drawing, buttons, and the table behind it.
{
  const frames = [];
  const CONFIG = { displayModeBar: false, responsive: true, showTips: false };

  // Adds what all charts share to the layout of a chart.
  const full_layout = (layout, theme, height) => {
    const axis = {
      gridcolor: theme.line,
      linecolor: theme.line,
      zerolinecolor: theme.line,
      automargin: true,
      ticks: "",
      exponentformat: "none",
      separatethousands: true,
      tickfont: { color: theme.muted, size: 12 },
      fixedrange: matchMedia("(pointer: coarse)").matches,
    };
    const across = lapcast.narrow() ? { nticks: 4 } : {};
    const whole = {
      height,
      autosize: true,
      paper_bgcolor: theme.paper,
      plot_bgcolor: theme.paper,
      font: { family: theme.font, size: 13, color: theme.text },
      margin: { l: 56, r: 18, t: 10, b: 46 },
      hovermode: "closest",
      colorway: theme.colours,
      hoverlabel: {
        bgcolor: theme.soft,
        bordercolor: theme.line,
        align: "left",
        font: { family: theme.font, size: 13, color: theme.text }
      },
      legend: {
        orientation: "h",
        xref: "container",
        yref: "container",
        x: 0,
        y: 1,
        yanchor: "top",
        font: { size: 12 },
        bgcolor: "rgba(0,0,0,0)",
        traceorder: "normal"
      },
      ...layout,
    };
    for (const name of ["xaxis", "yaxis", ...Object.keys(layout)]) {
      if (!/^[xy]axis\d*$/.test(name)) continue;
      const own = layout[name] ?? {};
      const title = own.title
          ? { text: own.title, standoff: 8, font: { size: 12, color: theme.muted } }
          : undefined;
      // Every name of a category is shown, however narrow the window is.
      const ticks = own.type === "category" ? { tickmode: "linear", dtick: 1, tick0: 0 }
          : name.startsWith("x")            ? across
                                            : {};
      whole[name] = {...axis, ...ticks, ...own, title };
    }
    whole.annotations = (layout.annotations ??
        []).map((note) => ({ showarrow: false, font: { size: 12, color: theme.muted }, ...note }));
    return whole;
  };

  const height_of = (chart, data) =>
      (typeof chart.height === "function" ? chart.height(data) : chart.height ?? 320);

  // Draws a frame whose data is there. It does so at once, because printing does not wait.
  const paint = (frame) => {
    const { chart, plot, data } = frame;
    frame.element.classList.toggle("empty", data === null);
    if (data === null) return;
    const theme = lapcast.theme();
    const height = height_of(chart, data);
    plot.style.height = `${height}px`;
    frame.says.textContent = chart.says?.(data) ?? "";
    frame.says.hidden = frame.says.textContent === "";
    const { traces, layout } = chart.figure(data, theme, frame.view);
    const whole = full_layout(layout, theme, height);
    if (frame.view) whole.xaxis = {...whole.xaxis, range: frame.view };
    if (!lapcast.plotly_now) {
      lapcast.plain_svg(plot, traces, whole, theme);
      return;
    }
    if (plot.querySelector(":scope > svg.plain")) plot.replaceChildren();
    lapcast.plotly_now.react(plot, traces, whole, CONFIG);
    listen(frame);
  };

  // Follows clicks, and zooming where the chart draws other points then.
  const listen = (frame) => {
    if (frame.listens) return;
    frame.listens = true;
    frame.plot.on(
        "plotly_click", (event) => frame.chart.click?.(frame.data, event.points[0], frame.page));
    frame.plot.on("plotly_relayout", (change) => {
      if (!frame.chart.zooms || frame.busy) return;
      const [low, high] = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
      if (!lapcast.known(low) && !change["xaxis.autorange"]) return;
      frame.view = lapcast.known(low) ? [low, high] : null;
      frame.busy = true;
      paint(frame);
      frame.busy = false;
    });
  };

  const draw = async (frame) => {
    try {
      const turn = frame.turn = (frame.turn ?? 0) + 1;
      lapcast.plotly_now = await lapcast.plotly;
      const data = await frame.chart.data(frame.page);
      if (turn !== frame.turn) return;  // another run was chosen meanwhile
      frame.data = data;
      frame.table.open = frame.table.open && frame.data !== null;
      paint(frame);
      if (frame.table.open) fill_table(frame);
    } catch (error) {
      frame.element.classList.add("failed");
      frame.plot.textContent = `This chart could not be drawn: ${lapcast.safe(error.message)}`;
      frame.plot.style.height = "auto";
    }
    frame.drawn = true;
    frame.element.dataset.drawn = lapcast.plotly_now ? "plotly" : "plain";
  };

  const table_of = (frame) =>
      (!frame.data ? { columns: [], rows: [] } : frame.chart.table(frame.data));

  const fill_table = (frame) => {
    const { columns, rows } = table_of(frame);
    const caption = `Data of: ${frame.chart.title}`;
    frame.table.replaceChildren(
        frame.table.firstChild, lapcast.table({ columns, rows, caption, limit: 25 }));
  };

  // Returns the frame of a chart, not drawn yet. Its `data` is there unless it comes later.
  const frame_of = (chart, page, data) => {
    const plot = lapcast.el(
        "div", { class: "plot", role: "img", "aria-label": `${chart.title}: ${chart.question.replaceAll("`", "")}` });
    const button = (text, what, press) => lapcast.el("button", {
      type: "button",
      class: "quiet",
      onclick: press,
      "aria-label": `Save ${what}: ${chart.title}`
    },
        text);
    const frame = { chart, page, plot, data, drawn: false, view: null };
    const tools = lapcast.el("div", { class: "tools" },
        button("SVG", "the picture as SVG", () => lapcast.save_svg(chart.name, plot)),
        button("PNG", "the picture as PNG", () => lapcast.save_png(chart.name, plot)),
        button("CSV", "the data as CSV", () => lapcast.save_csv(chart.name, table_of(frame))));
    frame.table = lapcast.el("details",
        { class: "behind", ontoggle: () => frame.table.open && fill_table(frame) },
        lapcast.el("summary", {}, "Table"));
    frame.says = lapcast.el("p", { class: "says", hidden: "" });
    frame.element = lapcast.el("figure",
        { class: chart.wide ? "chart wide" : "chart", id: `chart-${chart.name}` },
        lapcast.el("figcaption", {}, lapcast.el("h3", {}, chart.title),
            lapcast.el("p", {}, lapcast.with_code(chart.question)), frame.says),
        plot, lapcast.el("p", { class: "nothing" }, "Nothing was recorded of this run."),
        lapcast.el("div", { class: "under" }, frame.table, tools));
    plot.style.height = `${data ? height_of(chart, data) : 320}px`;
    return frame;
  };

  // Returns the data of a chart; null where it has nothing to show; undefined where it is read when
  // the chart is drawn: for charts of one run, and for data that cannot be read.
  const data_of = (chart, page) => {
    try {
      if (chart.per_run) return chart.shows(page) ? undefined : null;
      return chart.data(page);
    } catch {
      return undefined;
    }
  };

  // Returns the elements of the charts of a section that have something to show, in their order.
  lapcast.frames_of = (page, section) => {
    const all = [...lapcast.charts, ...lapcast.families.flatMap((charts_of) => charts_of(page))];
    const mine = all.filter((chart) => chart.section === section);
    return mine.sort((a, b) => a.order - b.order).flatMap((chart) => {
      const data = data_of(chart, page);
      if (data === null) return [];
      const frame = frame_of(chart, page, data);
      frames.push(frame);
      return [frame.element];
    });
  };

  const idle = () => new Promise(
      (resolve) => (window.requestIdleCallback ?? setTimeout)(resolve, { timeout: 200 }));

  // Draws the charts of the first screen without Plotly while it is unpacked, which takes longer.
  const sketch = (frame) => {
    try {
      if (frame.data) paint(frame);
    } catch {
      // Drawing it with Plotly says what is wrong.
    }
  };

  // Draws the charts of the first screen, then all others while the reader reads.
  lapcast.draw_all = async () => {
    const { dataset } = document.documentElement;
    const first = frames.filter((frame) => frame.chart.first_screen);
    if (!lapcast.plotly_now) first.forEach(sketch);
    requestAnimationFrame(() => { dataset.firstScreenMs = Math.round(performance.now()); });
    await Promise.all(first.map(draw));
    dataset.interactiveMs = Math.round(performance.now());
    for (const frame of [...frames]) {
      if (frame.drawn) continue;
      await idle();
      if (!frames.includes(frame)) return;  // another document is shown by now
      await draw(frame);
    }
    document.documentElement.dataset.state = "drawn";
  };
  lapcast.forget_frames = () => {
    for (const frame of frames) lapcast.plotly_now?.purge?.(frame.plot);
    frames.length = 0;
  };

  // Draws everything again, as after a change of the theme.
  lapcast.redraw = () =>
      frames.forEach((frame) => frame.drawn && frame.data !== undefined && paint(frame));

  // Draws the charts of one run again, for another run.
  lapcast.redraw_run = () =>
      Promise.all(frames.filter((frame) => frame.chart.per_run).map((frame) => {
        frame.view = null;
        return draw(frame);
      }));

  // Paper is light and narrow: draws the charts for it, and draws them for the screen afterwards.
  let theme_before;
  addEventListener("beforeprint", () => {
    theme_before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    document.documentElement.classList.add("printing");
    lapcast.redraw();
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("printing");
    if (theme_before) document.documentElement.dataset.theme = theme_before;
    else delete document.documentElement.dataset.theme;
    lapcast.redraw();
  });
  let resized;
  addEventListener("resize", () => {
    clearTimeout(resized);
    if (!lapcast.plotly_now) resized = setTimeout(lapcast.redraw, 150);
  });
}
