// The suite: throughput of its workloads, N-Queens, stages of the stopwatch, speed-ups.
{
  const { format, label } = lapcast;

  // Returns a chart of horizontal bars over rows: one bar a row, or one a row and series; `stack`
  // puts the series of a row behind each other.
  lapcast.bar_chart =
      ({ rows, value, unit, row_name, series, stack, kind, columns, ...chart }) =>
          ({
            ...chart,
            height: ({ names, series: all }) => lapcast.bars_height(
                names.map((name) => lapcast.wrapped(name)),
                series ? all.map((each) => lapcast.wrapped(each, 24)) : [],
                stack ? 1 : 0.7 + 0.3 * all.length),
            data(page) {
              const mine = rows(page.data.suite ?? {}).filter((row) => lapcast.known(value(row)));
              if (mine.length === 0) return null;
              return {
                rows: mine,
                names: [...new Set(mine.map(row_name))].slice(0, 30),
                series: series ? [...new Set(mine.map(series))].slice(0, 8) : [""]
              };
            },
            figure(data, theme) {
              const write = kind === "time" ? format.duration : format.number;
              const scale = kind === "time" ? format.time_unit(Math.max(...data.rows.map(value)))
                                            : { size: 1 };
              const mine = (each) => data.rows.filter(
                  (row) => data.names.includes(row_name(row)) && (!series || series(row) === each));
              const names = lapcast.distinct(data.names.map((name) => lapcast.wrapped(name)));
              return {
                traces: data.series.map((each, i) => ({
                  type: "bar",
                  orientation: "h",
                  name: lapcast.wrapped(each, 24),
                  y: mine(each).map((row) => names[data.names.indexOf(row_name(row))]),
                  x: mine(each).map((row) => value(row) / scale.size),
                  marker: { color: series ? theme.colours[i % 8] : theme.accent },
                  hoverinfo: "text",
                  hovertext:
                      mine(each).map((row) => `${label(row_name(row))} ${label(each)}<br>${
                                         write(value(row))}${kind === "time" ? "" : ` ${unit}`}`)
                })),
                layout: {
                  barmode: stack ? "stack" : "group",
                  showlegend: Boolean(series),
                  xaxis: {
                    title: kind === "time" ? `time (${scale.name})` : unit,
                    type: "linear",
                    rangemode: "tozero"
                  },
                  yaxis: { type: "category", autorange: "reversed" },
                  bargap: 0.3
                },
              };
            },
            table: (data) => lapcast.columns_table(data.rows, columns),
          });
  const bars = (spec) => lapcast.chart(lapcast.bar_chart({ section: "suite", ...spec }));

  const with_settings =
      (row) => [row.workload, format.settings(row.settings)].filter(Boolean).join(" ");

  bars({
    name: "suite-time",
    title: "Time of the workloads",
    question: "How long does each training of the suite take?",
    order: 1,
    kind: "time",
    rows: (suite) => suite.suite_runs ?? [],
    value: (row) => row.time_s,
    row_name: with_settings,
    columns: {
      workload: ["workload"],
      settings: ["settings", "settings"],
      runs: ["runs", "number"],
      time_s: ["time", "time"],
      time_s_low: ["from", "time"],
      time_s_high: ["to", "time"],
      cost_usd: ["cost", "usd"],
      reason: ["reason"]
    }
  });
  bars({
    name: "suite-throughput",
    title: "Throughput of the workloads",
    question: "How many samples a second does each reach?",
    order: 2,
    unit: "samples per second",
    rows: (suite) => suite.suite_runs ?? [],
    value: (row) => row.samples_per_second,
    row_name: with_settings,
    columns: {
      workload: ["workload"],
      settings: ["settings", "settings"],
      samples_per_second: ["samples per second", "number"],
      lap_s: ["lap", "time"],
      accuracy: ["accuracy", "share"]
    }
  });
  bars({
    name: "queens-nodes",
    title: "N-Queens: nodes per second",
    question: "How fast does each way of searching visit nodes?",
    order: 3,
    unit: "million nodes per second",
    rows: (suite) => suite.boards ?? [],
    value: (row) => row.million_nodes_per_second,
    row_name: (row) => `n = ${row.n}`,
    series: (row) => [row.machine_type, row.mode].filter(Boolean).join(" "),
    columns: {
      n: ["n", "number"],
      machine_type: ["machine"],
      mode: ["mode"],
      runs: ["runs", "number"],
      solutions: ["solutions", "number"],
      as_known: ["as known", "truth"],
      nodes: ["nodes", "number"],
      time_s: ["time", "time"],
      million_nodes_per_second: ["million nodes/s", "number"],
      reason: ["reason"]
    }
  });
  bars({
    name: "queens-speed-up",
    title: "N-Queens: speed-up",
    question: "How much do more threads or a GPU gain over one thread?",
    order: 4,
    unit: "× one thread",
    rows: (suite) => suite.boards ?? [],
    value: (row) => row.speed_up,
    row_name: (row) => `n = ${row.n}`,
    series: (row) => [row.machine_type, row.mode].filter(Boolean).join(" "),
    columns: {
      n: ["n", "number"],
      machine_type: ["machine"],
      mode: ["mode"],
      speed_up: ["speed-up", "number"],
      speed_up_over_cores: ["speed-up over cores", "number"]
    }
  });

  const STAGES = {
    data_load_s: "load data",
    data_pre_process_s: "pre-process",
    compile_s: "compile",
    train_s: "train",
    evaluate_s: "evaluate"
  };
  const stages = (suite) =>
      (suite.stages ?? []).flatMap((row) => Object.entries(STAGES).map(([key,
        stage]) => ({...row, stage, time_s: row[key] })));
  bars({
    name: "stages",
    title: "Stages of the stopwatch",
    question: "Where does the time go, on each device?",
    order: 5,
    kind: "time",
    stack: true,
    rows: stages,
    value: (row) => row.time_s,
    row_name: (row) => [row.network, row.device].join(" "),
    series: (row) => row.stage,
    columns:
        { network: ["network"], device: ["device"], stage: ["stage"], time_s: ["time", "time"] }
  });
  bars({
    name: "stage-speed-ups",
    title: "Speed-up of training",
    question: "How much faster than the CPU does each device train?",
    order: 6,
    unit: "% faster than the CPU",
    rows: (suite) => (suite.speed_ups ?? []).filter((row) => !/^cpu$/i.test(row.device)),
    value: (row) => row.train_speed_up_percent,
    row_name: (row) => row.network,
    series: (row) => row.device,
    columns: {
      network: ["network"],
      device: ["device"],
      train_speed_up_percent: ["training, % faster", "number"],
      evaluate_speed_up_percent: ["evaluation, % faster", "number"]
    }
  });
}
