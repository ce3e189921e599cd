// Says the verdict: what to take, what it takes and costs, how sure, what the runner-up would need.
{
  const { format } = lapcast;
  const strong = (text) => lapcast.el("strong", {}, lapcast.safe(text, 80));
  const sentence = (...parts) => lapcast.el("p", { class: "sentence" }, parts.filter((part) => part));

  // Returns "small with batch=64".
  const name_of = (row) => {
    const settings = lapcast.safe(format.settings(row.settings), 60);
    return [strong(row.machine_type), settings ? " with " : "", settings ? strong(settings) : ""];
  };

  const time_of = (row) => {
    const bounds = format.bounds(format.duration, row.time_s_low, row.time_s_high);
    return [strong(format.duration(row.time_s)), bounds && ` (${bounds})`];
  };

  // Returns "$0.0254 (0.0244-0.0263)", for 1000 runs where costs are tiny.
  const cost_of = (page, row) => {
    const { scale, after } = page.cost;
    const money = (usd) => format.dollars(usd * scale);
    const bounds = lapcast.known(row.cost_usd_low) && row.cost_usd_low !== row.cost_usd_high
      ? ` (${format.bounds(money, row.cost_usd_low, row.cost_usd_high)})` : "";
    return [strong(money(row.cost_usd)), bounds, after];
  };

  const VALUES = {
    cost: { key: "cost_usd", chance: "p_cheapest", best: "cheapest", more: "costs", more_word: "more" },
    time: { key: "time_s", chance: "p_fastest", best: "fastest", more: "takes", more_word: "longer" },
    score: { key: "score", chance: null, best: "best by score", more: "scores", more_word: "worse" },
  };

  const sureness = (row, by, count) => {
    const probability = by.chance ? row[by.chance] : null;
    if (count < 2) return ["."];
    if (!lapcast.known(probability)) return [`, the ${by.best} of ${count} choices.`];
    return [`, and is the ${by.best} of ${count} choices with a probability of `,
      strong(format.chance(probability)), "."];
  };

  // Says what the second choice lacks: the price per hour, or the time, at which it would be level.
  const runner_up = (page, first, second, by) => {
    const [best, own] = [first[by.key], second[by.key]];
    const begin = ["The runner-up, ", ...name_of(second), ", "];
    if (!(best > 0) || !(own > 0)) return sentence("The runner-up is ", ...name_of(second), ".");
    if (own <= best * 1.0005) return sentence(...begin, "is level with it.");
    const margin = `${by.more} ${format.share(own / best - 1)} ${by.more_word}`;
    const needed = format.duration(second.time_s * best / own);
    if (by.key === "cost_usd") {
      const price = second.price_usd_per_hour;
      const level = price > 0 ? [" or a price of ", strong(`${format.dollars(price * best / own)} per hour`),
        ` instead of ${format.dollars(price)}`] : [];
      return sentence(...begin, margin, "; to be level it would need to train in ", strong(needed),
        ` instead of ${format.duration(second.time_s)}`, ...level, ".");
    }
    if (by.key === "time_s") return sentence(...begin, margin, "; to be level it would need to finish in ", strong(needed), ".");
    return sentence(...begin, margin, ".");
  };

  const of_ranking = (page) => {
    const rows = page.candidates();
    const by = VALUES[page.ranking_row().by] ?? VALUES[page.priced() ? "cost" : "time"];
    const [first, second] = rows;
    const cost = page.priced() ? [" and costs ", ...cost_of(page, first)] : [];
    const said = [sentence("Take ", ...name_of(first), ": the training takes ", ...time_of(first), ...cost,
      ...sureness(first, by, rows.length))];
    if (second) said.push(runner_up(page, first, second, by));
    else said.push(sentence("It is the only choice that could be ranked."));
    return said;
  };

  const of_comparison = ({ comparison, sets }) => {
    const name = (side) => lapcast.safe(sets?.find((set) => set.side === side)?.set ?? side, 60);
    const gain = comparison.gain;
    if (!lapcast.known(gain)) return [sentence("The two sets cannot be compared in ", strong(comparison.metric), ".")];
    const clear = comparison.p < 0.05;
    return [
      sentence("By ", strong(comparison.metric), ", ", strong(`B (${name("B")})`), " is ",
        strong(format.share(Math.abs(gain))), gain >= 0 ? " better than " : " worse than ", strong(`A (${name("A")})`), "."),
      sentence(clear ? "The difference is clear" : "The difference may be chance",
        `: p = ${comparison.p < 0.001 ? "less than 0.001" : format.number(comparison.p)}`,
        lapcast.known(comparison.effect_size) ? `, effect size ${format.number(comparison.effect_size)}` : "", "."),
    ];
  };

  const of_run = (page) => {
    const known = page.runs.filter((run) => lapcast.known(run.forecast?.time_s));
    const run = known[known.length - 1];
    const profile = run.profile ?? {};
    const cost = lapcast.known(run.forecast.cost_usd) ? [" and costs ", strong(format.dollars(run.forecast.cost_usd))] : [];
    const row = { ...run.forecast, machine_type: run.run.machine_type, settings: run.run.settings };
    return [
      sentence("On ", ...name_of(row), " the training takes ", ...time_of(row), ...cost, "."),
      lapcast.known(profile.lap_s) && sentence(`This rests on ${profile.steady_laps} steady laps of `,
        strong(format.duration(profile.lap_s)), page.runs.length > 1 ? `, of the newest of ${page.runs.length} runs.` : "."),
    ];
  };

  const of_suite = ({ suite }) => {
    const board = (suite.boards ?? []).reduce((best, row) =>
      ((row.million_nodes_per_second ?? 0) > (best?.million_nodes_per_second ?? 0) ? row : best), null);
    const runs = (suite.suite_runs ?? []).filter((row) => lapcast.known(row.time_s));
    return [
      runs.length > 0 && sentence(strong(`${runs.length} workloads`), " of the suite have been measured; the longest takes ",
        strong(format.duration(Math.max(...runs.map((row) => row.time_s)))), "."),
      board && sentence("N-Queens reaches ", strong(`${format.number(board.million_nodes_per_second)} million nodes/s`),
        ` (n = ${board.n}, ${lapcast.safe(board.mode, 30)}).`),
    ];
  };

  const of_soak = ({ soak }) => soak.availability.slice(0, 2).map((row) => sentence(
    strong(row.machine), " was held for ", strong(format.share(row.availability)), " of the time that it was wanted",
    lapcast.known(row.median_session_s) ? [`; half of its ${row.sessions} sessions last longer than `,
      strong(format.duration(row.median_session_s))] : "", "."));

  const of_epochs = ({ epochs }) => {
    const row = epochs.epochs?.[0];
    if (!row) return [];
    if (!lapcast.known(row.epochs)) return [sentence(strong(row.machine_type), ": ", lapcast.safe(row.reason ?? "the target is more likely not reached"), ".")];
    return [sentence("The target needs ", strong(`${format.number(row.epochs)} epochs`), ` on ${lapcast.safe(row.machine_type, 60)}`,
      lapcast.known(row.chance_reached) ? [", and is reached with a probability of ", strong(format.chance(row.chance_reached))] : "", ".")];
  };

  const of_failures = (page) => {
    const [first] = page.runs;
    if (!first) return [sentence("There is nothing to report: the selection has no runs.")];
    const reason = first.forecast?.reason ?? first.run?.outcome_text ?? "not known";
    return [
      sentence(page.runs.length > 1 ? ["None of the ", strong(`${page.runs.length} runs`), " can be forecast."]
        : "The run cannot be forecast."),
      sentence("The first says: ", strong(lapcast.safe(reason, 160)), /[.!?]$/.test(reason) ? "" : "."),
    ];
  };

  const sentences_of = (page) => {
    const { data } = page;
    return data.compare?.comparison ? of_comparison(data.compare)
      : page.candidates().length > 0 ? of_ranking(page)
      : page.runs.some((run) => lapcast.known(run.forecast?.time_s)) ? of_run(page)
      : data.suite ? of_suite(data)
      : data.soak?.availability?.length ? of_soak(data)
      : data.epochs?.epochs?.length ? of_epochs(data) : of_failures(page);
  };

  // Returns the sentences for a document, whatever it holds.
  lapcast.verdict = (page) => sentences_of(page).filter(Boolean).slice(0, 3);

  // Returns the facts below the sentences: [name, value, remark].
  lapcast.facts = (page) => {
    const facts = [];
    const rows = page.candidates();
    const best = page.data.rank?.best ?? {};
    const short = (row) => lapcast.safe([row.machine_type, format.settings(row.settings)].filter(Boolean).join(" "), 48);
    if (rows.length > 1 && best.time) facts.push(["Fastest", format.duration(best.time.time_s), short(best.time)]);
    if (rows.length > 1 && best.cost && page.priced()) {
      facts.push(["Cheapest", `${format.dollars(best.cost.cost_usd * page.cost.scale)}${page.cost.after}`, short(best.cost)]);
    }
    const regret = page.ranking_row().expected_regret;
    if (rows.length > 1 && lapcast.known(regret)) {
      facts.push(["Expected regret", regret < 0.001 ? "below 0.1 %" : format.share(regret), "what the choice may lose, on average"]);
    }
    const errors = page.data.verify?.errors;
    if (errors?.known) {
      facts.push(["Forecasts so far", lapcast.known(errors.median_absolute_error) ? `±${format.share(errors.median_absolute_error)}` : "–",
        `${errors.inside_95} of ${errors.known} real times inside their 95 % intervals`]);
    }
    const { probes, probes_cost_usd: spent, trainings_cost_usd: whole } = page.ranking_row();
    if (lapcast.known(spent) && whole > 0) {
      facts.push(["Finding this out", format.dollars(spent), `${probes} probes; all trainings would cost ${format.dollars(whole)}`]);
    }
    const failed = page.runs.filter((run) => ["crashed", "no-laps", "not-started"].includes(run.run?.outcome)).length;
    if (failed > 0) facts.push(["Failed runs", `${failed} of ${page.runs.length}`, "each is listed with its reason"]);
    return facts;
  };
}
