// Makes tables: sorted by a press on a header, filtered by words, cut where they are long.
{
  const { format } = lapcast;
  const MOST_ROWS = 2000;  // that a page shows; the CSV file has all

  // How each kind of column is written, and whether it is a number.
  const KINDS = {
    text: (value) => lapcast.safe(value),
    settings: (value) => lapcast.safe(typeof value === "object" ? format.settings(value) : value),
    time: format.duration,
    usd: format.dollars,
    share: format.share,
    chance: format.chance,
    bill: format.dollars,
    number: format.number,
    bytes: format.bytes,
    moment: format.moment,
    truth: (value) => (value === true ? "yes"
            : value === false         ? "no"
                                      : "–"),
  };
  const is_figure = (column) =>
      !["text", "settings", "truth", "bill", "moment"].includes(column.kind ?? "text");

  lapcast.cell_text = (column, value) => {
    if (value === null || value === undefined || value === "") return "–";
    return (KINDS[column.kind] ?? KINDS.text)(value);
  };

  // Orders values of a column; what is not known comes last in either direction.
  const compare = (a, b, descending) => {
    const missing = (value) => value === null || value === undefined || value === "";
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    const order = typeof a === "number" && typeof b === "number" ? a - b
        : typeof a === "boolean" && typeof b === "boolean"
        ? b - a
        : String(a).localeCompare(String(b), "en", { numeric: true });
    return descending ? -order : order;
  };

  // Marks a table as tight while it is wider than its place; style.css says what that changes.
  const follow_width = (scroller) => {
    let width = 0;
    new ResizeObserver(() => {
      if (scroller.clientWidth === width) return;
      width = scroller.clientWidth;
      scroller.classList.remove("tight");
      scroller.classList.toggle("tight", scroller.scrollWidth > width);
    }).observe(scroller);
  };

  // Returns an element with the table. `spec` has columns [{key, title, kind, look, node?(item)}], rows
  // (lists of raw values) and may have items (one for each row), caption, limit, filter (a label),
  // keep(item, row), and on_row(item, tr).
  lapcast.table = (spec) => {
    const state = { sorted: null, descending: false, words: [], limit: spec.limit ?? 50 };
    const body = lapcast.el("tbody");
    const said = lapcast.el("p", { class: "said", role: "status" });
    const heads = spec.columns.map((column, i) => header(spec, state, column, i, () => fill()));
    const scroller = lapcast.el("div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": spec.caption },
        lapcast.el("table", {}, lapcast.el("caption", { class: "unseen" }, spec.caption),
            lapcast.el("thead", {}, lapcast.el("tr", {}, heads)), body));
    follow_width(scroller);
    const fill = () => fill_body(spec, state, body, heads, said, fill);
    const element = lapcast.el("div", { class: "table" }, scroller, said);
    if (spec.filter) element.prepend(filter_box(spec, state, fill));
    element.refill = fill;
    // Shows the row of an item, whatever the filter hides.
    element.reveal = (item) => {
      state.limit = MOST_ROWS;
      fill();
      const row = [...body.children].find((tr) => tr.item === item);
      row?.scrollIntoView({ block: "center", behavior: lapcast.calm() ? "auto" : "smooth" });
      row?.focus({ preventScroll: true });
      return row;
    };
    fill();
    return element;
  };

  // Returns whether the reader has asked for less motion.
  lapcast.calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  const header = (spec, state, column, i, fill) => {
    const press = () => {
      state.descending = state.sorted === i ? !state.descending : false;
      state.sorted = i;
      fill();
    };
    const look = [is_figure(column) && "figure", column.look].filter(Boolean).join(" ");
    return lapcast.el("th", { scope: "col", class: look },
        lapcast.el("button", { type: "button", onclick: press }, column.title ?? column.key));
  };

  const filter_box = (spec, state, fill) => {
    const input = lapcast.el("input", {
      type: "search",
      placeholder: spec.filter,
      "aria-label": spec.filter,
      oninput: () => {
        state.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
        fill();
      },
    });
    return lapcast.el("div", { class: "controls" }, input);
  };

  // Returns the numbers of the rows to show, in order.
  const chosen_rows = (spec, state) => {
    const text_of = (row) =>
        row.map((value, i) => lapcast.cell_text(spec.columns[i], value)).join(" ").toLowerCase();
    const order = spec.rows.map((_, i) => i).filter((i) => {
      if (spec.keep && !spec.keep(spec.items?.[i], spec.rows[i])) return false;
      return state.words.length === 0 ||
          state.words.every((word) => text_of(spec.rows[i]).includes(word));
    });
    if (state.sorted === null) return order;
    return order.sort((a, b) => compare(spec.rows[a][state.sorted], spec.rows[b][state.sorted],
                          state.descending));
  };

  const row_of = (spec, i) => {
    const item = spec.items?.[i];
    const tr = lapcast.el("tr", { tabindex: "-1" }, spec.columns.map((column, place) => {
      const value = spec.rows[i][place];
      const content = column.node ? column.node(item, value) : lapcast.cell_text(column, value);
      const long = !is_figure(column) && lapcast.cell_text(column, value).length > 34;
      const kind = is_figure(column) ? "figure" : long ? "word long" : "word";
      return lapcast.el("td", { class: column.look ? `${kind} ${column.look}` : kind }, content);
    }));
    tr.item = item;
    spec.on_row?.(item, tr);
    return tr;
  };

  const fill_body = (spec, state, body, heads, said, again) => {
    const order = chosen_rows(spec, state);
    body.replaceChildren(...order.slice(0, state.limit).map((i) => row_of(spec, i)));
    heads.forEach((head, i) => {
      const way = state.descending ? "descending" : "ascending";
      if (state.sorted === i) head.setAttribute("aria-sort", way);
      else head.removeAttribute("aria-sort");
    });
    const hidden = order.length - Math.min(order.length, state.limit);
    const count = order.length === spec.rows.length ? `${order.length} rows`
                                                    : `${order.length} of ${spec.rows.length} rows`;
    said.replaceChildren(order.length < 2 && order.length === spec.rows.length ? "" : count);
    if (hidden === 0) return;
    const more = () => {
      state.limit = MOST_ROWS;
      again();
    };
    said.append(`, ${order.length - hidden} shown. `);
    if (state.limit < MOST_ROWS)
      said.append(
          lapcast.el("button", { type: "button", class: "quiet", onclick: more }, "Show more"));
    else said.append("The CSV file has all of them.");
  };
}
