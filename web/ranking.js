// The ranking as a table: units to choose, chances and bills as bars, what was excluded and why.
{
  const { format } = lapcast;
  const TIME_UNITS = { fits: "as fits", s: "s", min: "min", h: "h", days: "days", x: "× fastest" };
  const COST_UNITS = { usd: "$", many: "$ per 1000 runs", x: "× cheapest" };
  const SIZES = { s: 1, min: 60, h: 3600, days: 86400 };
  // Each line of a bill has its own colour: one of eight, then one of the same eight faded.
  const BILL_LINES = [
    "training", "boot", "checkpoints", "storage", "lost work", "data in", "rounding up", "other",
    "validation", "preparation", "restarts", "snapshots", "egress", "licence", "tax"
  ];

  // Returns the number of the colour of a part of a bill, and its opacity.
  lapcast.bill_colour = (what) => {
    const line = BILL_LINES.includes(what) ? BILL_LINES.indexOf(what) : 7;
    return { colour: line % 8, opacity: line < 8 ? 1 : 0.5 };
  };

  // Returns a value as a multiple of the smallest, of which `own` is `multiple` times as much; a
  // multiple of nothing is not known.
  const relative = (value, own, multiple) => {
    const times = value === own ? multiple : value / (own / multiple);
    return Number.isFinite(times) ? format.fixed(times, 2) : "–";
  };

  const time_text = (units, row, key) => {
    const value = row[key];
    if (!lapcast.known(value)) return "–";
    if (units.time === "fits") return format.duration(value);
    if (units.time === "x") return relative(value, row.time_s, row.relative_time);
    return format.number(value / SIZES[units.time]);
  };
  const cost_text = (units, row, key) => {
    const value = row[key];
    if (!lapcast.known(value)) return "–";
    if (units.cost === "x") return relative(value, row.cost_usd, row.relative_cost);
    return format.dollars(value * (units.cost === "many" ? 1000 : 1));
  };

  // Returns a figure with its 95 % interval in small print below it.
  const with_bounds = (text, units, row, key) => {
    const [low, high] = [text(units, row, `${key}_low`), text(units, row, `${key}_high`)];
    const shown = low !== high && low !== "–" && high !== "–";
    return [
      text(units, row, key), shown ? lapcast.el("small", {}, joined(low, high)) : null
    ].filter(Boolean);
  };
  // Returns nodes of "4.21–4.4 s" or "59 min 10 s to 1 h 02 min"; only between the bounds may a line
  // end.
  const joined = (low, high) => {
    const [a, b] = [low.split(" "), high.split(" ")];
    const one_unit = a.length === 2 && b.length === 2 && a[1] === b[1];
    const both = one_unit ? [`${a[0]}–`, high]
        : a.length > 1    ? [`${low} to `, high]
                          : [`${low}–`, high.replace("$", "")];
    return both.flatMap((text) => [lapcast.el("span", {}, text), lapcast.el("wbr")]);
  };

  const bar =
      (share, text) => [lapcast.el("span", { class: "chance", "aria-hidden": "true" },
                            lapcast.el("span",
                                { style: `width:${Math.max(0, Math.min(1, share)) * 100}%` })),
          lapcast.el("span", { class: "of" }, text)];

  const chance_node = (row, key) =>
      (lapcast.known(row[key]) ? bar(row[key], format.chance(row[key])) : "–");

  const look_of = (what) => {
    const { colour, opacity } = lapcast.bill_colour(what);
    return `background:var(--c${colour + 1});opacity:${opacity}`;
  };

  // Returns the bill of a row as stacked parts, as long as its share of the dearest bill.
  const bill_node = (row, most) => {
    const lines = row.bill?.lines ?? [];
    if (lines.length === 0) return "–";
    const said = lines.map((line) => `${lapcast.safe(line.what, 40)} ${format.dollars(line.usd)}`)
                     .join(", ");
    return lapcast.el("span", { class: "bill", role: "img", "aria-label": said, title: said },
        lines.map((line) => lapcast.el("span", {
          style: `width:${(100 * Math.max(0, line.usd)) / most}%;${look_of(line.what)}`
        })));
  };

  const varies = (rows, key) => rows.some((row) => row[key] !== rows[0][key]);
  const any = (rows, key) => rows.some((row) => row[key] !== null && row[key] !== undefined);

  const columns_of = (page, rows, units) => {
    const by = page.ranking_row().by;
    const most = Math.max(1e-12, ...rows.map((row) => row.bill?.total_usd ?? 0));
    const priced = page.priced();
    const several = rows.length > 1;
    const chance = (key, title) =>
        ({ key, title, kind: "chance", node: (row) => chance_node(row, key) });
    const all = [
      { key: "rank", title: "#", kind: "number" },
      ...choice_columns(rows),
      varies(rows, "epochs") && { key: "epochs", title: "epochs", kind: "number" },
      {
        key: "time_s",
        title: "time",
        kind: "time",
        node: (row) => with_bounds(time_text, units, row, "time_s")
      },
      priced && {
        key: "cost_usd",
        title: "cost",
        kind: "usd",
        node: (row) => with_bounds(cost_text, units, row, "cost_usd")
      },
      any(rows, "preparation_s") && { key: "preparation_s", title: "set-up", kind: "time" },
      any(rows, "data_in_s") && { key: "data_in_s", title: "data in", kind: "time" },
      any(rows, "score") && { key: "score", title: "score", kind: "number" },
      several && priced && by !== "time" && any(rows, "p_cheapest") &&
          chance("p_cheapest", "P(cheapest)"),
      several && any(rows, "p_fastest") && chance("p_fastest", "P(fastest)"),
      any(rows, "p_late") && chance("p_late", "P(late)"),
      any(rows, "accuracy") && { key: "accuracy", title: "accuracy", kind: "share" },
      several && priced &&
          { key: "pareto", title: "Pareto", kind: "truth", node: (row) => (row.pareto ? "●" : "") },
      rows.some((row) => row.bill?.lines?.length) &&
          { key: "bill", title: "bill", kind: "bill", node: (row) => bill_node(row, most) },
      any(rows, "price_usd_per_hour") &&
          { key: "price_usd_per_hour", title: "price/h", kind: "usd" },
      ["energy", "co2"].includes(by) && { key: "energy_kwh", title: "kWh", kind: "number" },
      ["energy", "co2"].includes(by) && { key: "co2e_g", title: "gCO2e", kind: "number" },
      any(rows, "run") && { key: "run", title: "run", node: (row) => page.run_link(row.run) },
    ];
    return all.filter(Boolean);
  };

  // Returns the columns that say which choice a row is. In a tight table all of them stand below
  // the machine.
  const choice_columns = (rows) => {
    const apart = [
      rows.some((row) => format.settings(row.settings)) &&
          { key: "settings", title: "settings", kind: "settings", look: "apart" },
      any(rows, "offer") && { key: "offer", title: "offer", look: "apart" },
      any(rows, "conditions") && { key: "conditions", title: "conditions", look: "apart" },
      varies(rows, "where") && { key: "where", title: "where", look: "apart" }
    ].filter(Boolean);
    const node = (row) => machine_node(row, apart);
    return [{ key: "machine_type", title: "machine", look: "choice", node }, ...apart];
  };

  const machine_node = (row, apart) => {
    const name = lapcast.soft(lapcast.safe(row.machine_type, 80));
    const others = apart.map(({ key }) => value_of(row, key)).filter(Boolean);
    return [
      lapcast.el(row.rank === 1 ? "strong" : "span", {}, name),
      ...others.map((text) => lapcast.el("small", { class: "also" }, lapcast.soft(text)))
    ];
  };

  const value_of = (row, key) => {
    if (key === "settings") return format.settings(row.settings);
    return key === "bill" ? row.bill?.total_usd ?? null : row[key] ?? null;
  };

  const choice = (name, options, value, change) => {
    const select = lapcast.el("select",
        { "aria-label": name, onchange: () => change(select.value) },
        Object.entries(options).map(
            ([key, text]) => lapcast.el("option", { value: key, selected: key === value }, text)));
    return lapcast.el("label", {}, `${name} `, select);
  };

  // Returns the ranking table with its controls; page.show_row(row) jumps to a row of it.
  lapcast.ranking_table = (page) => {
    const rows = page.candidates();
    const units = { time: "fits", cost: page.cost.scale === 1 ? "usd" : "many" };
    const columns = columns_of(page, rows, units);
    let only_front = false;
    const table = lapcast.table({
      columns,
      items: rows,
      rows: rows.map((row) => columns.map((column) => value_of(row, column.key))),
      caption: "Ranking",
      filter: rows.length > 1 && "Filter: machine, batch=64 …",
      limit: 60,
      keep: (row) => !only_front || row.pareto,
      on_row: (row, tr) => row.rank === 1 && tr.classList.add("best"),
    });
    page.show_row = (row) => {
      table.reveal(row)?.classList.add("shown");
    };
    const legend = bill_legend(rows);
    const shown = legend ? [table, legend] : [table];
    if (rows.length < 2) return shown;
    const front = lapcast.el("input", {
      type: "checkbox",
      onchange: () => {
        only_front = front.checked;
        table.refill();
      }
    });
    const controls = table.querySelector(".controls");
    controls.append(choice("Time", TIME_UNITS, units.time, (value) => {
      units.time = value;
      table.refill();
    }));
    if (page.priced()) {
      controls.append(choice("Cost", COST_UNITS, units.cost, (value) => {
        units.cost = value;
        table.refill();
      }), lapcast.el("label", {}, front, " Pareto front only"));
    }
    controls.append(lapcast.el("button", {
      type: "button",
      class: "quiet",
      onclick: () => lapcast.save_csv("ranking", ranking_csv(rows))
    },
        "CSV"));
    return shown;
  };

  // Returns all keys of the rows, not only those that are shown.
  const ranking_csv = (rows) => {
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
        (key) => key !== "bill" && key !== "index");
    return {
      columns: keys.map((key) => ({ key })),
      rows: rows.map((row) => keys.map((key) => value_of(row, key)))
    };
  };

  const SPOT_COLUMNS = [
    {
      key: "interruptions",
      title: "interruptions",
      kind: "number",
      node: (row) => format.fixed(row.interruptions, 1)
    },
    { key: "between_interruptions_s", title: "one every", kind: "time" },
    { key: "checkpoint_interval_s", title: "save every", kind: "time" },
    { key: "checkpoints_s", title: "checkpoints", kind: "time" },
    { key: "checkpoints_usd", title: "they cost", kind: "usd" },
    { key: "lost_work_s", title: "lost work", kind: "time" },
    { key: "restarts_s", title: "restarts", kind: "time" },
    { key: "waiting_s", title: "waiting", kind: "time" },
    { key: "undisturbed_cost_usd", title: "cost without", kind: "usd" },
    { key: "p_in_time", title: "P(in time)", kind: "chance" }
  ];

  // Returns what interruptions do to the choices on spot machines, as `rank` says it; null where no
  // choice was simulated.
  lapcast.spot_table = (page) => {
    const rows = (page.data.rank?.spot_trainings ?? [])
                     .filter((row) => (row.ranking ?? 1) === page.ranking);
    if (rows.length === 0) return null;
    const columns = [
      { key: "rank", title: "#", kind: "number" }, ...choice_columns(rows),
      ...SPOT_COLUMNS.filter(({ key }) => any(rows, key))
    ];
    return lapcast.el("div", { class: "spot-trainings" },
        lapcast.el("h3", {}, "On spot machines, on average"), lapcast.table({
          columns,
          items: rows,
          caption: "On spot machines, on average",
          rows: rows.map((row) => columns.map((column) => value_of(row, column.key))),
          limit: 20
        }));
  };

  const bill_legend = (rows) => {
    const parts =
        [...new Set(rows.flatMap((row) => (row.bill?.lines ?? []).map((line) => line.what)))];
    if (parts.length < 2) return null;
    return lapcast.el("p", { class: "legend" }, "Bill: ",
        parts.map((what) => lapcast.el("span", {},
            lapcast.el("i", { style: look_of(what) }), lapcast.safe(what, 40))));
  };

  // Returns what was not ranked.
  lapcast.excluded = (page) =>
      (page.data.rank?.excluded ?? []).filter((row) => (row.ranking ?? 1) === page.ranking);

  // Returns the table of what was not ranked, with the reasons; null where everything was.
  lapcast.excluded_table = (page) => {
    const rows = lapcast.excluded(page);
    if (rows.length === 0) return null;
    const columns = [...choice_columns(rows), { key: "reason", title: "why not" }];
    const table = lapcast.table({
      columns,
      items: rows,
      caption: "Excluded",
      rows: rows.map((row) => columns.map((column) => value_of(row, column.key))),
      limit: 20
    });
    const said = `${rows.length} excluded, with the reason${rows.length > 1 ? "s" : ""}`;
    return lapcast.el("details", { class: "excluded", open: rows.length <= 6 },
        lapcast.el("summary", {}, said), table);
  };
}
