// Puts a document on the page: verdict, sections, runs to choose from, and how we know.
{
  const { format } = lapcast;
  const { el } = lapcast;

  // The sections in order; one without anything to show is left out.
  const SECTIONS = [
    {
      id: "ranking",
      title: "Ranking",
      lead: (page) => (page.candidates().length > 0
              ? "Every choice that could be ranked, best first, with 95 % intervals."
              : "No choice could be ranked.")
    },
    {
      id: "choices",
      title: "Choices compared",
      lead: "How time, cost and accuracy depend on machine and settings."
    },
    {
      id: "truth",
      title: "Forecasts against reality",
      lead: "How far forecasts were off where the real time is known."
    },
    { id: "race", title: "The race", lead: "Which candidates were stopped when, and why." },
    { id: "comparison", title: "Comparison", lead: "Two sets of runs, every run shown." },
    {
      id: "repeats",
      title: "Repeated runs",
      lead: "Whole trainings, several times on each machine with the same settings."
    },
    {
      id: "papers",
      title: "Figures of the papers",
      lead: "Drawn from the numbers that the papers print, with your own runs in the same axes."
    },
    { id: "learning", title: "Learning", lead: "How many epochs the target needs." },
    { id: "suite", title: "Suite", lead: "The benchmark suite on this machine." },
    {
      id: "availability",
      title: "Availability",
      lead: "How long machines last before they are taken away."
    },
    {
      id: "runs",
      title: "Runs",
      lead: (page) => (page.runs.length > 1
              ? "What was measured, run by run. Choose a run to see its laps."
              : "What was measured.")
    },
    {
      id: "method",
      title: "How we know",
      lead: "Method, machines, prices, raw data, and the commands that repeat this."
    },
  ];

  // Returns how the costs of a ranking are written: tiny ones for 1000 runs, as `rank` does.
  const cost_scale = (rows) => {
    const costs = rows.map((row) => row.cost_usd).filter(lapcast.known);
    return costs.length > 0 && Math.max(...costs) < 0.01
        ? { scale: 1000, after: " per 1000 runs", unit: "$ per 1000 runs" }
        : { scale: 1, after: "", unit: "$" };
  };

  // Returns the object that charts and tables read: the document and what is chosen on the page.
  const page_of = (data) => {
    const rank = data.rank ?? {};
    const ranking_of = (row) => row.ranking ?? 1;
    const all = (rank.candidates ?? []).map((row, index) => ({
      ...row,
      index,
      bill: data.bills?.find(
          (bill) => ranking_of(bill) === ranking_of(row) && bill.rank === row.rank)
    }));
    const page = {
      data,
      runs: data.runs ?? [],
      run: null,
      ranking: rank.rankings?.[0]?.ranking ?? 1,
      candidates: () => all.filter((row) => ranking_of(row) === page.ranking),
      ranking_row: () => (rank.rankings ?? []).find((row) => row.ranking === page.ranking) ?? {},
      priced: () => page.candidates().some((row) => lapcast.known(row.cost_usd)),
      show_row: () => {},
      choose_run: () => {},
    };
    page.cost = cost_scale(page.candidates());
    page.run_link = (id) => run_link(page, id);
    const several_programs = new Set(page.runs.map(program_of)).size > 1;
    page.program_of = (run) => (several_programs ? program_of(run) : "");
    page.run = run_to_begin_with(page);
    return page;
  };

  // Returns "python3 train.py" for the program of a run: its name, and the script that it runs.
  const program_of = ({ run = {} }) => String(run.program ?? "")
                                           .slice(0, 500)
                                           .split(/\s+/, 2)
                                           .filter((word, i) => i === 0 || !word.startsWith("-"))
                                           .map((word) => word.split("/").pop())
                                           .join(" ");

  // Is the run that was chosen before, the run behind the best choice, or else the run with the
  // most laps.
  const run_to_begin_with = (page) => {
    const before = lapcast.page?.run?.run?.id;
    const chosen = before && page.runs.find((run) => run.run?.id === before);
    if (chosen) return chosen;
    const best = page.runs.find((run) => run.run?.id === page.candidates()[0]?.run);
    const count = (run) => run.laps?.count ?? 0;
    if (best && count(best) > 0) return best;
    return page.runs.reduce(
        (most, run) => (count(run) > count(most) ? run : most), page.runs[0] ?? null);
  };

  const run_link = (page, id) => {
    const run = page.runs.find((each) => each.run?.id === id);
    const short = lapcast.safe(id, 14);
    if (!run) return short;
    return el("button",
        { type: "button", class: "quiet mono", onclick: () => page.choose_run(run, true) }, short);
  };

  const header = (page) => {
    const { data } = page;
    const title = lapcast.safe(
        data.title || data.rank?.sweep?.program || page.runs[0]?.run?.program || "lapcast report",
        140);
    document.title = `${title} · lapcast`;
    const made = data.made ?? {};
    const line = [
      made.at && `made ${format.moment(made.at)} UTC`,
      made.lapcast && `lapcast ${lapcast.safe(made.lapcast, 60).replace(/^lapcast /, "")}`,
      page.runs.length > 0 && `${page.runs.length} run${page.runs.length === 1 ? "" : "s"}`
    ].filter(Boolean).join(" · ");
    return [el("h1", {}, title), el("p", { class: "made" }, line)];
  };

  const facts = (page) => {
    const rows = lapcast.facts(page);
    return rows.length === 0
        ? null
        : el("dl", { class: "facts" },
              rows.map(([name, value, remark]) => el("div", {}, el("dt", {}, name),
                           el("dd", {}, value, el("small", {}, remark)))));
  };

  const notes = (page) => {
    const all = [...(page.data.rank?.notes ?? []), ...(page.data.notes ?? [])];
    if (all.length === 0) return null;
    return el("ul", { class: "notes" },
        all.slice(0, 20).map(
            (note) => el("li", { class: note.kind === "warning" ? "warning" : "note" },
                note.kind === "warning" ? el("b", {}, "Warning: ") : null,
                lapcast.with_code(lapcast.safe(note.text, 400)))));
  };

  // The first screen: title, verdict, facts, and the charts that belong to it.
  const first_screen = (page) => {
    const charts = lapcast.frames_of(page, "verdict");
    const said = el("div", { class: "said-first" }, header(page),
        el("div", { class: "sentences" }, lapcast.verdict(page)), ranking_choice(page),
        facts(page));
    return el("section", {
      id: "verdict",
      class: charts.length > 0 ? "first" : "first alone",
      tabindex: "-1",
      "aria-label": "Verdict"
    },
        said, ...charts);
  };

  // Several rankings (for epochs, for batch sizes) are shown one at a time.
  const ranking_choice = (page) => {
    const rows = page.data.rank?.rankings ?? [];
    if (rows.length < 2) return null;
    const name = (row) => [row.epochs && `${row.epochs} epochs`,
                              row.batch_size && `batch size ${row.batch_size}`]
                              .filter(Boolean)
                              .join(", ") ||
        `ranking ${row.ranking}`;
    const select = el("select", {
      onchange: () => {
        page.ranking = Number(select.value);
        page.cost = cost_scale(page.candidates());
        fill(page);
      }
    },
        rows.map((row) => el("option",
                     { value: row.ranking, selected: row.ranking === page.ranking }, name(row))));
    return el("p", { class: "controls" }, el("label", {}, "Ranking for ", select));
  };

  const runs_table = (page) => {
    const columns = [
      { key: "run", title: "run", node: (run) => page.run_link(run.run?.id) },
      { key: "program", title: "program" }, { key: "machine_type", title: "machine" },
      { key: "settings", title: "settings", kind: "settings" }, { key: "kind", title: "kind" },
      { key: "outcome_text", title: "outcome" }, { key: "laps", title: "laps", kind: "number" },
      { key: "lap_s", title: "steady lap", kind: "time" },
      { key: "time_s", title: "forecast", kind: "time" },
      { key: "cost_usd", title: "cost", kind: "usd" },
      { key: "started_at", title: "started (UTC)", kind: "moment" }
    ];
    // The details of an outcome, in brackets or after a semicolon, are shown for the chosen run.
    const outcome = (run) =>
        String(run.outcome_text ?? run.outcome ?? "").replace(/( \(|; ).*$/s, "");
    const rows = page.runs.map((whole) => {
      const { run = {}, profile = {}, forecast = {}, laps } = whole;
      return [
        run.id, page.program_of(whole), run.machine_type, format.settings(run.settings), run.kind,
        outcome(run), laps?.count ?? profile.laps ?? null, profile.lap_s, forecast.time_s,
        forecast.cost_usd, run.started_at
      ];
    });
    const used =
        columns.map((_, i) => i)
            .filter((i) => i === 0 ||
                    rows.some((row) => row[i] !== undefined && row[i] !== null && row[i] !== ""));
    return lapcast.table({
      columns: used.map((i) => columns[i]),
      rows: rows.map((row) => used.map((i) => row[i])),
      items: page.runs,
      caption: "Runs",
      filter: "Filter: machine, kind, outcome …",
      limit: 8,
      on_row: (run, tr) => run === page.run && tr.classList.add("chosen")
    });
  };

  const fact_rows = (pairs) =>
      el("dl", { class: "pairs" },
          pairs.filter(([, value]) => value)
              .map(([name, value]) => el("div", { class: String(value).length > 60 && "wide" },
                       el("dt", {}, name), el("dd", {}, lapcast.safe(value, 300)))));

  // What is known of the chosen run, above its charts.
  const run_head = (page) => {
    const { run = {}, profile = {}, forecast = {}, effects = [] } = page.run ?? {};
    const of = (format_value, value, low, high) => {
      const bounds = format.bounds(format_value, low, high);
      if (!lapcast.known(value) || value === 0) return "";  // 0: nothing was measured
      return format_value(value) + (bounds ? ` (${bounds})` : "");
    };
    const settings = lapcast.safe(format.settings(run.settings), 80);
    return [
      el("h3", { class: "run-name", tabindex: "-1" }, "Run ",
          el("span", { class: "mono" }, lapcast.safe(run.id, 20)), " on ",
          lapcast.safe(run.machine_type, 60),
          settings ? ` with ${settings}` : ""),
      fact_rows([
        ["Program", run.program], ["Outcome", run.outcome_text],
        ["Wall time", of(format.duration, run.wall_time_s)],
        ["Start to first lap", of(format.duration, profile.init_s)],
        ["Steady lap", of(format.duration, profile.lap_s, profile.lap_s_low, profile.lap_s_high)],
        ["Samples per second", of(format.number, profile.samples_per_second)],
        [
          "Whole training",
          of(format.duration, forecast.time_s, forecast.time_s_low, forecast.time_s_high)
        ],
        [
          "Why no forecast",
          lapcast.known(forecast.time_s) || forecast.reason === run.outcome_text
              ? ""
              : forecast.reason
        ],
        ["Peak memory", of(format.bytes, run.peak_memory_bytes)],
        ["CPUs used", of(format.number, run.used_cpus)],
        ["Lost to others", of(format.share, run.lost_to_others_share)]
      ]),
      effects.length > 0
          ? el("ul", { class: "effects" },
                effects.map(
                    (effect) => el("li", {}, el("b", {}, lapcast.safe(effect.effect, 40)),
                        ` ${lapcast.safe(effect.what, 300)}`,
                        effect.forecast ? el("small", {}, ` ${lapcast.safe(effect.forecast, 200)}`)
                                        : null)))
          : null,
    ];
  };

  const runs_section = (page) => {
    if (page.runs.length === 0) return [];
    const head = el("div", { class: "run-head" }, run_head(page));
    const table = page.runs.length > 1 ? runs_table(page) : null;
    page.choose_run = (run, jump = false) => {
      page.run = run;
      head.replaceChildren(...run_head(page).filter(Boolean));
      table?.refill();
      lapcast.redraw_run();
      if (jump) head.scrollIntoView({ behavior: lapcast.calm() ? "auto" : "smooth" });
      if (jump) head.querySelector("h3").focus({ preventScroll: true });
    };
    return [table, head];
  };

  const PLAIN = {
    ranking: (page) => (page.candidates().length > 0
            ? [
                ...lapcast.ranking_table(page), lapcast.spot_table(page),
                lapcast.excluded_table(page), notes(page)
              ]
            : [lapcast.excluded_table(page), notes(page)]),
    runs: runs_section,
    papers: (page) => [lapcast.papers_table(page)],
    method: (page) => lapcast.how_we_know(page)
  };

  const section = (page, { id, title, lead }) => {
    const plain = (PLAIN[id]?.(page) ?? []).filter(Boolean);
    const charts = lapcast.frames_of(page, id);
    if (plain.length === 0 && charts.length === 0) return null;
    return el("section", { id, "aria-labelledby": `${id}-title` },
        el("h2", { id: `${id}-title` }, title),
        el("p", { class: "lead" }, typeof lead === "function" ? lead(page) : lead), ...plain,
        charts.length > 0 ? el("div", { class: "charts" }, charts) : null);
  };

  const fill = async (page) => {
    const place = lapcast.page ? scrollY : null;  // kept when a document is shown again
    delete document.documentElement.dataset.state;
    lapcast.forget_frames();
    const sections =
        SECTIONS.map((each) => [each, section(page, each)]).filter(([, element]) => element);
    document.getElementById("main").replaceChildren(
        first_screen(page), ...sections.map(([, element]) => element));
    document.getElementById("nav").replaceChildren(
        ...sections.map(([each]) => el("a", { href: `#${each.id}` }, each.title)));
    lapcast.page = page;
    if (place !== null) scrollTo({ top: place, behavior: "instant" });
    await lapcast.draw_all();
    say_if_plain();
  };

  const say_if_plain = () => {
    if (lapcast.plotly_now || document.querySelector(".plain-notice")) return;
    document.getElementById("footer").append(el("p", { class: "plain-notice" },
        "The charts are plain drawings: the library for charts that react to the pointer is " +
            "not in this file."));
  };

  // Shows a document, in place of the one that was shown before. Returns when all is drawn.
  lapcast.show = (data) => fill(page_of(data));
}
