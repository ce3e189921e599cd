// Writes the verdict: which choice to take, its time and cost, how sure that is, and what the second
// choice would need.
{
  const { format } = lapcast;
  // A short figure or name is never broken over two lines, and no line begins with "%".
  const strong = (text) => {
    const shown = lapcast.safe(text, 80);
    const is_short = shown.length <= 24;
    return lapcast.el("strong", { class: is_short && "short" }, is_short ? shown : lapcast.soft(shown));
  };
  const whole = (part) => (typeof part === "string" ? part.replace(/ %/g, "\u00a0%") : part);
  const sentence = (...parts) =>
      lapcast.el("p", { class: "sentence" }, parts.flat().filter((part) => part).map(whole));

  // Returns "small with batch=64 under aws/ec2/small/spot".
  const name_of = (row) => {
    const settings = lapcast.safe(format.settings(row.settings), 60);
    const part = (word, text) => (text ? [word, strong(text)] : []);
    return [
      strong(row.machine_type), ...part(" with ", settings), ...part(" under ", row.offer ?? "")
    ];
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
        ? ` (${format.bounds(money, row.cost_usd_low, row.cost_usd_high)})`
        : "";
    return [strong(money(row.cost_usd)), bounds, after];
  };

  const VALUES = {
    cost: {
      key: "cost_usd",
      chance: "p_cheapest",
      best: "cheapest",
      more: "costs",
      more_word: "more"
    },
    time:
        { key: "time_s", chance: "p_fastest", best: "fastest", more: "takes", more_word: "longer" },
    score:
        { key: "score", chance: null, best: "best by score", more: "scores", more_word: "worse" },
    energy: {
      key: "energy_kwh",
      chance: null,
      best: "one with the least energy",
      more: "takes",
      more_word: "more energy"
    },
    co2: {
      key: "co2e_g",
      chance: null,
      best: "one with the least CO2",
      more: "causes",
      more_word: "more CO2"
    },
  };

  const sureness = (row, by, count) => {
    const probability = by.chance ? row[by.chance] : null;
    if (count < 2) return ["."];
    if (!lapcast.known(probability)) return [`, the ${by.best} of ${count} choices.`];
    return [
      `, and is the ${by.best} of ${count} choices with a probability of `,
      strong(format.chance(probability)), "."
    ];
  };

  // What another choice would need to be the first, as `rank --explain` says it: the key of what is
  // needed, the key of what it has now, and the words.
  const per_hour = (usd) => `${format.dollars(usd)} per hour`;
  const of_hours = (share) => `${format.share(share)} of its hours`;
  const epochs = (count) => `${format.number(count)} epochs`;
  const NEEDS = [
    ["needed_price_usd_per_hour", "price_usd_per_hour", "a price of at most ", per_hour],
    ["needed_training_s", "training_s", "a training of at most ", format.duration],
    ["needed_epochs", "epochs", "at most ", epochs],
    [
      "needed_between_interruptions_s", "between_interruptions_s", "machines that last at least ",
      format.duration
    ],
    ["needed_utilisation", "utilisation", "use in at least ", of_hours],
  ];

  const needs_of = (page, row, by) => {
    const found = (page.data.rank?.explanation ?? [])
                      .find((each) => (each.ranking ?? 1) === page.ranking && each.rank === row.rank);
    if (!found) return [];
    const ways = NEEDS.filter(([needed]) => lapcast.known(found[needed]))
                     .map(([needed, now, words, text]) => [
                       words, strong(text(found[needed])), ` instead of ${text(found[now])}`
                     ]);
    if (ways.length === 0) return [`; nothing that is changed alone makes it the ${by.best}`];
    const all = ways.flatMap((way, i) => (i > 0 ? [", or ", ...way] : way));
    return [`; to be the ${by.best} it would need `, ...all];
  };

  const runner_up = (page, first, second, by) => {
    const [best, own] = [first[by.key], second[by.key]];
    const begin = ["The runner-up, ", ...name_of(second), ", "];
    if (!(best > 0) || !(own > 0)) return sentence("The runner-up is ", ...name_of(second), ".");
    if (own <= best * 1.0005) return sentence(...begin, "is level with it.");
    const margin = `${by.more} ${format.share(own / best - 1)} ${by.more_word}`;
    return sentence(...begin, margin, ...needs_of(page, second, by), ".");
  };

  const of_ranking = (page) => {
    const rows = page.candidates();
    const by = VALUES[page.ranking_row().by] ?? VALUES[page.priced() ? "cost" : "time"];
    const [first, second] = rows;
    const cost = page.priced() ? [" and costs ", ...cost_of(page, first)] : [];
    const takes = [" the training takes ", ...time_of(first), ...cost];
    if (second)
      return [
        sentence("Take ", ...name_of(first), ":", ...takes, ...sureness(first, by, rows.length)),
        runner_up(page, first, second, by)
      ];
    return [
      sentence("On ", ...name_of(first), ...takes, "."),
      lapcast.excluded(page).length > 0
          ? sentence("It is the only choice that could be ranked.")
          : basis(page, page.runs.find((run) => run.run?.id === first.run))
    ];
  };

  // Says on which laps the forecast of a run rests, and how long the run took if it ended.
  const basis = (page, { run = {}, profile = {} } = {}) => {
    if (!lapcast.known(profile.lap_s)) return null;
    const several = page.runs.length > 1;
    const name = several ? `the newest of ${page.runs.length} runs` : "the run";
    const laps =
        [`${profile.steady_laps} steady laps of `, strong(format.duration(profile.lap_s))];
    if (run.outcome === "ended" && lapcast.known(run.wall_time_s))
      return sentence("In fact ", name, " took ", strong(format.duration(run.wall_time_s)),
          "; the forecast rests on ", ...laps, ".");
    return sentence("This rests on ", ...laps, several ? `, of ${name}.` : ".");
  };

  const of_comparison = ({ comparison, sets }) => {
    const name = (side) => lapcast.set_name(sets, side, 40);
    const gain = comparison.gain;
    if (!lapcast.known(gain))
      return [sentence("The two sets cannot be compared in ", strong(comparison.metric), ".")];
    const clear = comparison.p < 0.05;
    return [
      sentence("By ", strong(comparison.metric), ", ", strong(`B (${name("B")})`), " is ",
          strong(format.share(Math.abs(gain))), gain >= 0 ? " better than " : " worse than ",
          strong(`A (${name("A")})`), "."),
      sentence(clear ? "The difference is clear" : "The difference may be chance",
          `: p ${comparison.p < 0.001 ? "< 0.001" : `= ${format.number(comparison.p)}`}`,
          lapcast.known(comparison.effect_size)
              ? `, effect size ${format.number(comparison.effect_size)}`
              : "",
          "."),
    ];
  };

  const of_run = (page) => {
    const known = page.runs.filter((run) => lapcast.known(run.forecast?.time_s));
    const run = known[known.length - 1];
    const cost = lapcast.known(run.forecast.cost_usd)
        ? [" and costs ", strong(format.dollars(run.forecast.cost_usd))]
        : [];
    const row = {...run.forecast, machine_type: run.run.machine_type, settings: run.run.settings };
    return [
      sentence("On ", ...name_of(row), " the training takes ", ...time_of(row), ...cost, "."),
      basis(page, run)
    ];
  };

  const of_suite = ({ suite = {} }) => {
    const board = (suite.boards ?? [])
                      .reduce((best, row) => ((row.million_nodes_per_second ?? 0) >
                                          (best?.million_nodes_per_second ?? 0)
                                      ? row
                                      : best),
                          null);
    const runs = (suite.suite_runs ?? []).filter((row) => lapcast.known(row.time_s));
    const networks = new Set((suite.stages ?? []).map((row) => row.network)).size;
    return [
      runs.length > 0 &&
          sentence(strong(`${runs.length} workloads`),
              " of the suite have been measured; the longest takes ",
              strong(format.duration(Math.max(...runs.map((row) => row.time_s)))), "."),
      board &&
          sentence("N-Queens reaches ",
              strong(`${format.number(board.million_nodes_per_second)} million nodes/s`),
              ` (n = ${board.n}, ${lapcast.safe(board.mode, 30)}).`),
      networks > 0 &&
          sentence("The stages of ", strong(`${networks} networks`), " have been timed."),
    ];
  };

  const availability_of = (row) => {
    const median = lapcast.known(row.median_session_s) ? format.duration(row.median_session_s) : "";
    const lasting =
        median ? [`; half of its ${row.sessions} sessions last longer than `, strong(median)] : [];
    return sentence(strong(row.machine), " was held for ", strong(format.share(row.availability)),
        " of the time that it was wanted", ...lasting, ".");
  };
  const of_soak = ({ soak }) => soak.availability.slice(0, 2).map(availability_of);

  const of_papers = ({ papers: { figures = [], charts = [] } }) => {
    const own = figures.filter((row) => row.with_own_runs).length;
    return [
      sentence(`Of ${figures.length} figures that show results, ${charts.length} are drawn here.`),
      sentence(own > 0 ? `Runs of yours stand in ${own} of them.`
                       : "The captions say which command makes runs to stand beside them.")
    ];
  };

  const of_spot = ({ spot }) => {
    const { spot_forecast: forecast = {}, checkpoint_intervals: intervals = [] } = spot;
    const every = intervals[0]?.interval_s;
    const bounds = format.bounds(format.duration, forecast.time_s_low, forecast.time_s_high);
    if (!lapcast.known(forecast.time_s)) return [sentence("The training has no forecast.")];
    return [
      lapcast.known(every) &&
          sentence("Save every ", strong(format.duration(every)), " on these machines."),
      sentence("The result is there after ", strong(format.duration(forecast.time_s)),
          bounds && ` (${bounds})`,
          ...(lapcast.known(forecast.cost_usd)
                  ? [", and costs ", strong(format.dollars(forecast.cost_usd))]
                  : []),
          "."),
    ];
  };

  const of_epochs = ({ epochs }) => {
    const row = epochs.epochs[0];
    const machine = strong(row.machine_type);
    if (!lapcast.known(row.epochs)) {
      const reason = row.reason ?? "the target is more likely not reached";
      return [sentence(machine, ": ", lapcast.safe(reason), ".")];
    }
    const chance =
        lapcast.known(row.chance_reached) ? strong(format.chance(row.chance_reached)) : null;
    const reached = chance ? [", and is reached with a probability of ", chance] : [];
    const needed = strong(`${format.number(row.epochs)} epochs`);
    return [sentence("The target needs ", needed, " on ", machine, ...reached, ".")];
  };

  const of_failures = (page) => {
    const [first] = page.runs;
    if (!first) return [sentence("There is nothing to report: the selection has no runs.")];
    const reason = first.forecast?.reason ?? first.run?.outcome_text ?? "not known";
    return [
      sentence(page.runs.length > 1
              ? ["None of the ", strong(`${page.runs.length} runs`), " can be forecast."]
              : "The run cannot be forecast."),
      sentence(page.runs.length > 1 ? "The first says: " : "The reason: ",
          strong(lapcast.safe(reason, 160)), /[.!?]$/.test(reason) ? "" : "."),
    ];
  };

  const sentences_of = (page) => {
    const { data } = page;
    const compared = data.compare?.comparison ? of_comparison(data.compare) : [];
    // A comparison leads only where there is nothing to choose between.
    if (page.candidates().length > 1) return [...of_ranking(page), ...compared.slice(0, 1)];
    return compared.length > 0                                         ? compared
        : page.candidates().length > 0                                 ? of_ranking(page)
        : of_suite(data).some(Boolean)                                 ? of_suite(data)
        : page.runs.some((run) => lapcast.known(run.forecast?.time_s)) ? of_run(page)
        : data.soak?.availability?.length                              ? of_soak(data)
        : data.spot                                                    ? of_spot(data)
        : data.papers                                                  ? of_papers(data)
        : data.epochs?.epochs?.length                                  ? of_epochs(data)
                                                                       : of_failures(page);
  };

  // Returns the sentences for a document, whatever it holds.
  lapcast.verdict = (page) => sentences_of(page).filter(Boolean).slice(0, 3);

  // Returns the facts below the sentences: [name, value, remark].
  lapcast.facts = (page) => {
    const facts = [];
    const rows = page.candidates();
    const best = page.data.rank?.best ?? {};
    const short = (row) => lapcast.soft(lapcast.full_name(row));
    // Rows of one measurement are equally fast.
    if (rows.length > 1 && best.time && rows.some((row) => row.time_s !== rows[0].time_s))
      facts.push(["Fastest", format.duration(best.time.time_s), short(best.time)]);
    if (rows.length > 1 && best.cost && page.priced()) {
      facts.push([
        "Cheapest", `${format.dollars(best.cost.cost_usd * page.cost.scale)}${page.cost.after}`,
        short(best.cost)
      ]);
    }
    if (rows.length > 0 && lapcast.known(rows[0].p_late))
      facts.push(["Chance of being late", format.chance(rows[0].p_late), short(rows[0])]);
    const dated = rows.filter((row) => page.priced() && row.price_as_of);
    if (dated.length > 0) {
      const oldest = dated.reduce((a, b) => (b.price_as_of < a.price_as_of ? b : a));
      facts.push(["Oldest price", lapcast.safe(oldest.price_as_of, 20), short(oldest)]);
    }
    const regret = page.ranking_row().expected_regret;
    if (rows.length > 1 && lapcast.known(regret)) {
      facts.push([
        "Expected regret", regret < 0.001 ? "below 0.1 %" : format.share(regret),
        "what the choice may lose, on average"
      ]);
    }
    const errors = page.data.verify?.errors;
    if (errors?.known) {
      facts.push([
        "Forecasts so far",
        lapcast.known(errors.median_absolute_error)
            ? `±${format.share(errors.median_absolute_error)}`
            : "–",
        `${errors.inside_95} of ${errors.known} real times inside their 95 % intervals`
      ]);
    }
    const { probes, probes_cost_usd: spent, trainings_cost_usd: whole } = page.ranking_row();
    if (lapcast.known(spent) && whole > 0) {
      facts.push([
        "Cost of the search", format.dollars(spent),
        probes === 1 ? `one probe; the training would cost ${format.dollars(whole)}`
                     : `${probes} probes; all trainings would cost ${format.dollars(whole)}`
      ]);
    }
    // A program that only reports metrics, as N-Queens does, has not failed.
    const has_failed = ({ run = {}, metrics }) =>
        ["crashed", "not-started"].includes(run.outcome) ||
        (run.outcome === "no-laps" && !metrics?.length);
    const failed = page.runs.filter(has_failed).length;
    if (failed > 0)
      facts.push(
          ["Failed runs", `${failed} of ${page.runs.length}`, "each is listed with its reason"]);
    return facts;
  };
}
