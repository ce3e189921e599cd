// Makes the page of `lapcast serve` live: fetches the document, follows the events of the server,
// and lists the runs of the store. Does nothing in a report, which carries its data.
{
  const { el, safe } = lapcast;
  const SVG = "http://www.w3.org/2000/svg";
  const MOST_POINTS = 500; // of a run, drawn
  const MOST_ROWS = 500; // of the list, shown
  const FIRST_WAIT_MS = 500;
  const LONGEST_WAIT_MS = 10000;

  const by_id = (id) => document.getElementById(id);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  const figure = (value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "");
  const seconds = (value) => (Number.isFinite(value) ? lapcast.format.duration(value) : "");

  // The token stands in the fragment of the address, which no browser sends. This tab keeps it for a
  // reload, and takes it out of the address, where screens, copied links and the history show it.
  const token_of_page = () => {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
      sessionStorage.setItem("lapcast-token", given);
      history.replaceState(null, "", location.pathname + location.search);
    }
    return given ?? sessionStorage.getItem("lapcast-token") ?? "";
  };
  let token = "";

  // Asks the server. The error of a refusal is the server's own line; `status` is that of HTTP.
  const ask = async (path, options = {}) => {
    const headers = { "X-Lapcast-Token": token, ...options.headers };
    const answer = await fetch(path, { ...options, headers, cache: "no-store", redirect: "error" });
    if (answer.ok) return answer;
    const error = new Error((await answer.text()).trim() || `the server answered ${answer.status}`);
    error.status = answer.status;
    throw error;
  };

  const say = (text) => {
    by_id("link").textContent = text;
  };
  const complain = (text) => {
    by_id("problem").textContent = text;
  };

  // ---- Runs under way. The model holds what the events told: id -> {row, points}.
  const runs = new Map();
  let allow_changes = false;
  let version = null;

  // What the newest event said of the rest of a run; the next one may say less.
  const OF_FORECAST = /^(left|cost|why)_/;

  const handlers = {
    run: (data) => runs.set(data.run, { row: { ...data, seen: performance.now() }, points: [] }),
    laps: (data) => {
      const run = runs.get(data.run);
      if (!run) return;
      const { points, ...row } = data;
      for (const key of Object.keys(run.row)) if (OF_FORECAST.test(key)) delete run.row[key];
      Object.assign(run.row, row, { told: performance.now() });
      const last = run.points.at(-1)?.[0] ?? -1;
      run.points.push(...points.filter((point) => point[0] > last));
      run.points.splice(0, run.points.length - MOST_POINTS);
    },
    gone: (data) => runs.delete(data.run),
    version: (data) => {
      const shows_other_tools = allow_changes !== data.changes;
      allow_changes = data.changes;
      if (shows_other_tools) draw_library();
      const is_new = version !== null && version !== data.version;
      version = data.version;
      if (is_new) reload();
    },
  };

  const apply = (name, data) => {
    handlers[name]?.(data);
    draw_soon();
  };

  let drawing = false;
  const draw_soon = () => {
    if (drawing) return;
    drawing = true;
    setTimeout(() => {
      drawing = false;
      draw_live();
    }, 50);
  };

  // Draws the times of the newest laps of a run as a line.
  const spark = (points) => {
    const [width, height] = [320, 40];
    const picture = document.createElementNS(SVG, "svg");
    for (const [name, value] of [["viewBox", `0 0 ${width} ${height}`], ["width", width], ["height", height],
      ["role", "img"], ["aria-label", `times of the newest ${points.length} laps`]]) picture.setAttribute(name, value);
    if (points.length < 2) return picture;
    const times = points.map((point) => point[2]);
    const [least, most] = [Math.min(...times), Math.max(...times)];
    const [first, last] = [points[0][0], points.at(-1)[0]];
    const line = document.createElementNS(SVG, "polyline");
    line.setAttribute("points", points.map(([index, , time]) =>
      `${((index - first) / (last - first) * width).toFixed(1)},${(height - 2 - (time - least) / (most - least || 1) * (height - 4)).toFixed(1)}`).join(" "));
    line.setAttribute("fill", "none");
    line.setAttribute("stroke", "currentColor");
    picture.append(line);
    return picture;
  };

  const elapsed_of = (row) => (Number.isFinite(row.elapsed_s) ? row.elapsed_s + (performance.now() - row.seen) / 1000 : undefined);
  // Returns a cell: a short text stays on its line, and `look` says what else it is.
  const cell = (value, look = "", most = 80) => {
    const text = safe(value, most);
    return el("td", { class: `word ${text.length > 34 ? "long" : ""} ${look}` }, text);
  };
  // Returns a cell of a figure with what belongs to it in small print.
  const cell_with = (value, small, look) => el("td", { class: `figure ${look}` }, value, small ? el("small", {}, small) : null);
  const bounds = (write, low, high) => lapcast.format.bounds(write, low, high);
  const left_cell = (row) => {
    if (!Number.isFinite(row.left_s)) return cell_with("–", safe(row.why_not_known, 80), "left");
    const since = (performance.now() - row.told) / 1000;
    const left = (value) => Math.max(0, value - since);
    return cell_with(seconds(left(row.left_s)), bounds(seconds, left(row.left_s_low), left(row.left_s_high)), "left");
  };
  const cost_cell = (row) => {
    const { dollars } = lapcast.format;
    const so_far = Number.isFinite(row.cost_so_far_usd) ? dollars(row.cost_so_far_usd) : "–";
    if (!Number.isFinite(row.cost_usd)) return cell_with(so_far, "", "cost");
    return cell_with(`${so_far} of ${dollars(row.cost_usd)}`, bounds(dollars, row.cost_usd_low, row.cost_usd_high), "cost");
  };
  const live_row = ({ row, points }) => {
    const epoch = row.epoch ? `${row.epoch}${row.planned_epochs ? ` of ${row.planned_epochs}` : ""}` : "";
    const small = (text, look = "") => (text ? el("small", { class: look }, lapcast.soft(safe(text, 80))) : null);
    return el("tr", { "data-run": row.run },
      el("td", { class: "choice" }, el("strong", {}, lapcast.soft(safe(row.machine_type, 40))), small(row.settings),
        small([row.kind, row.run].filter(Boolean).join(" "), "mono"), small(row.program, "mono")),
      left_cell(row), cost_cell(row), cell(seconds(elapsed_of(row)), "figure"), cell(epoch, "figure"),
      cell(`${row.laps ?? 0}${row.cut_off ? " or more" : ""}`, "figure laps"), cell(figure(row.laps_per_second), "figure"),
      cell(seconds(points.at(-1)?.[2]), "figure"), el("td", {}, spark(points)));
  };

  const FIGURES = ["time left", "cost", "time", "epoch", "laps", "laps/s", "last lap"];
  const table_of = (heads, rows) => el("div", { class: "scroll", tabindex: "0" }, el("table", {},
    el("thead", {}, el("tr", {}, heads.map((head) =>
      el("th", { scope: "col", class: `plain ${FIGURES.includes(head) ? "figure" : ""}` }, head)))), el("tbody", {}, rows)));

  const section = (id, title) => {
    const place = by_id(id);
    if (place.childElementCount === 0)
      place.append(el("h2", { id: `${id}-title` }, title), el("div", { id: `${id}-body` }));
    place.hidden = false;
    return by_id(`${id}-body`);
  };

  const draw_live = () => {
    const body = section("live", "Under way on this machine");
    if (runs.size === 0) return body.replaceChildren(el("p", { class: "lead" }, "No run is under way."));
    body.replaceChildren(table_of(["machine", ...FIGURES, "newest laps"],
      [...runs.values()].map(live_row)));
  };

  // ---- The list of the store's runs.
  let library = { runs: [], sweeps: [] };
  const wanted = { text: "", tag: "" };

  const change = async (body) => {
    try {
      await ask("/change", { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
      if (body.action.startsWith("remove-") && shown === body.id) shown = "";
      await load_library();
    } catch (error) {
      alert(error.message);
    }
  };
  const tag_run = (run) => {
    const text = prompt(`Tag of run ${run.run} (empty: none)`, run.tag ?? "");
    if (text !== null) change({ action: "tag-run", id: run.run, text });
  };
  const remove_run = (run) => {
    if (confirm(`Delete run ${run.run} from the store? This cannot be undone.`))
      change({ action: "remove-run", id: run.run, confirmed: run.run });
  };
  const name_sweep = (sweep) => {
    const text = prompt(`Name of sweep ${sweep.sweep} (empty: none)`, sweep.name ?? "");
    if (text !== null) change({ action: "name-sweep", id: sweep.sweep, text });
  };
  const remove_sweep = (sweep) => {
    if (confirm(`Delete sweep ${sweep.sweep} with its ${sweep.runs} runs from the store? This cannot be undone.`))
      change({ action: "remove-sweep", id: sweep.sweep, confirmed: sweep.sweep });
  };
  const button = (text, name, onclick) => el("button", { type: "button", class: "quiet", "aria-label": name, onclick }, text);

  const cells = (values) => values.map((value) => cell(value));
  const matches = (row) => {
    const text = JSON.stringify(row).toLowerCase();
    return (!wanted.tag || row.tag === wanted.tag) && wanted.text.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  };
  const run_row = (run) => el("tr", { "data-run": run.run }, el("td", { class: "word mono" }, show_button(run.run)),
    cells([lapcast.format.moment(run.started_at), run.kind, run.machine_type, lapcast.format.settings(run.settings), run.program, run.outcome_text, run.tag]),
    allow_changes ? el("td", { class: "word" }, button("tag", `tag run ${run.run}`, () => tag_run(run)),
      button("delete", `delete run ${run.run}`, () => remove_run(run))) : null);
  const sweep_row = (sweep) => el("tr", { "data-sweep": sweep.sweep }, el("td", { class: "word mono" }, show_button(sweep.sweep)),
    cells([sweep.name, lapcast.format.moment(sweep.created_at), sweep.runs, sweep.finished ? "yes" : "no", sweep.program]),
    allow_changes ? el("td", { class: "word" }, button("name", `name sweep ${sweep.sweep}`, () => name_sweep(sweep)),
      button("delete", `delete sweep ${sweep.sweep}`, () => remove_sweep(sweep))) : null);
  const show_button = (id) => button(safe(id, 14), `show ${id}`, () => {
    shown = id;
    load_document().then(() => complain(""), (error) => complain(error.message));
  });

  const fill_rows = () => {
    const found = library.runs.filter(matches).reverse();
    const tools = allow_changes ? ["changes"] : [];
    by_id("run-rows").replaceChildren(
      el("p", { class: "lead", role: "status" }, `${found.length} of ${library.runs.length} runs`
        + (found.length > MOST_ROWS ? `; the newest ${MOST_ROWS} are shown` : "")),
      table_of(["run", "started (UTC)", "kind", "machine", "settings", "program", "outcome", "tag", ...tools], found.slice(0, MOST_ROWS).map(run_row)));
    by_id("sweep-rows").replaceChildren(library.sweeps.length === 0 ? "" : table_of(
      ["sweep", "name", "begun (UTC)", "runs", "finished", "program", ...tools], library.sweeps.toReversed().slice(0, MOST_ROWS).map(sweep_row)));
  };

  const draw_library = () => {
    const body = section("library", "Runs in the store");
    if (!by_id("run-rows")) {
      const search = el("input", { type: "search", placeholder: "search runs", "aria-label": "search runs", oninput: () => {
        wanted.text = search.value;
        fill_rows();
      } });
      const tags = el("select", { id: "tags", "aria-label": "runs with the tag", onchange: () => {
        wanted.tag = tags.value;
        fill_rows();
      } });
      body.append(el("p", {}, search, " ", tags), el("div", { id: "run-rows" }), el("h3", {}, "Sweeps"), el("div", { id: "sweep-rows" }));
    }
    const all = [...new Set(library.runs.map((run) => run.tag).filter(Boolean))].sort();
    by_id("tags").replaceChildren(el("option", { value: "" }, "any tag"),
      ...all.map((tag) => el("option", { value: tag, selected: tag === wanted.tag }, safe(tag, 40))));
    by_id("tags").hidden = all.length === 0;
    fill_rows();
  };

  // ---- The document, and what is loaded anew when the store has changed.
  let shown = ""; // the sweep or run whose document is shown; "" = the newest sweep
  let asked = 0; // an answer that was asked for before another one is not shown
  const load_document = async () => {
    const turn = ++asked;
    const data = await (await ask(shown ? `/data/${shown}` : "/data")).json();
    if (turn === asked) await lapcast.show(data);
  };
  const load_library = async () => {
    library = { runs: [], sweeps: [], ...await (await ask("/runs")).json() };
    draw_library();
  };
  let reloading = null;
  let again = false;
  // Loads both; while that goes on, one more reload is remembered at most.
  const reload = () => {
    again = reloading !== null;
    reloading ??= Promise.allSettled([load_document(), load_library()]).then((results) => {
      reloading = null;
      const failed = results.find((result) => result.status === "rejected");
      complain(failed ? failed.reason.message : "");
      if (again) reload();
    });
    return reloading;
  };

  // ---- The stream of events. Browsers open six connections to a server at most, for all tabs
  // together: one tab holds the lock and the stream, and passes the events on to the others.
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("lapcast-events") : null;
  const ABOUT_ALL = "all"; // asks the tab with the stream for all that it knows

  const follow_stream = async () => {
    const answer = await ask("/events");
    runs.clear();
    channel?.postMessage({ name: "begin" });
    say("live");
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (text + piece.value).split("\n\n");
      text = events.pop();
      for (const event of events) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
        if (!name) continue;
        apply(name, JSON.parse(data));
        channel?.postMessage({ name, data: JSON.parse(data) });
      }
    }
    throw new Error("lapcast serve has ended, or dropped this page");
  };

  const keep_following = async () => {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      const begun = performance.now();
      try {
        await follow_stream();
      } catch (error) {
        say(error.status ? error.message : "not connected: is lapcast serve running?");
        if (error.status === 401) return;
      }
      if (performance.now() - begun > LONGEST_WAIT_MS) wait = FIRST_WAIT_MS;
      await pause(wait);
    }
  };

  const tell_all = () => {
    channel.postMessage({ name: "begin" });
    for (const { row, points } of runs.values()) {
      channel.postMessage({ name: "run", data: { ...row, elapsed_s: elapsed_of(row) } });
      channel.postMessage({ name: "laps", data: { ...row, points } });
    }
    channel.postMessage({ name: "version", data: { version, changes: allow_changes } });
  };

  const follow = () => {
    if (!channel || !navigator.locks) return keep_following();
    let leads = false;
    channel.onmessage = ({ data: { name, data } }) => {
      if (name === ABOUT_ALL) return leads && tell_all();
      if (leads) return undefined;
      say("live, through another tab");
      return name === "begin" ? runs.clear() : apply(name, data);
    };
    channel.postMessage({ name: ABOUT_ALL });
    return navigator.locks.request("lapcast-events", async () => {
      leads = true;
      try {
        await keep_following();
      } finally {
        leads = false;
      }
    });
  };

  const start = async () => {
    const data = by_id("data");
    if (!data || data.textContent.trim() || !location.protocol.startsWith("http")) return;
    token = token_of_page();
    if (!token) return say("This address lacks its token: open the link that lapcast serve printed.");
    draw_live();
    await reload();
    follow();
    setInterval(() => runs.size > 0 && draw_soon(), 1000);
  };
  document.addEventListener("DOMContentLoaded", start);
}
