// Repeated runs to the end: boxes with every point, and the p-values of every pair.
{
  const { format, label } = lapcast;
  const METRICS = { time: "time", accuracy: "accuracy", "test-time": "test time" };
  const P_MOST_GROUPS = 24;

  // Returns the words of a group's name: the machine, then each setting.
  const words_of = (row) => [row.machine_type, ...format.settings(row.settings).split(" ")];

  // Returns what all groups share, in words; "" for one group, and where nothing would tell them
  // apart.
  const shared_by = (rows) => {
    const shared = words_of(rows[0] ?? {}).filter(
        (word) => word && rows.every((row) => words_of(row).includes(word)));
    const rest = rows.map((row) => words_of(row).filter((word) => !shared.includes(word)).join(" "));
    return rows.length > 1 && rest.every(Boolean) ? shared : [];
  };

  // Returns the names of the groups without what all of them share.
  const names_of = (part, most) => {
    const shared = shared_by(part.repeats);
    return lapcast.distinct(part.repeats.map((row) => lapcast.wrapped(
        words_of(row).filter((word) => !shared.includes(word)).join(" "), most)));
  };
  const room_below = (part) => Math.max(
      9, Math.floor((lapcast.narrow() ? innerWidth - 90 : 500) / part.repeats.length / 7));
  const says_shared = (part) => {
    const shared = shared_by(part.repeats);
    return shared.length > 0 ? `All with ${lapcast.safe(shared.join(" "), 160)}.` : "";
  };

  const boxes_of = (part, shared) => ({
    ...shared,
    name: `repeat-times${shared.name}`,
    title: `Times of repeated runs${shared.title}`,
    question: "How far do whole trainings scatter on each machine? Every point is a run; hollow " +
        "ones are warm-ups, which count in no box.",
    height: 420,
    says: () => says_shared(part),
    data: () => {
      const values = (part.values ?? []).filter((row) => lapcast.known(row.time_s));
      return values.length > 0 ? { values } : null;
    },
    figure({ values }, theme) {
      const names = names_of(part, room_below(part));
      const unit = format.time_unit(Math.max(...values.map((row) => row.time_s)));
      const hover = (row) =>
          `${names[row.group - 1]}<br>run ${label(row.run, 14)}<br>${format.duration(row.time_s)}`;
      const traces = names.flatMap((name, i) => {
        const mine = values.filter((row) => row.group === i + 1 && !row.warm_up);
        return mine.length === 0 ? [] : [
          lapcast.box(name, mine.map((row) => row.time_s / unit.size), mine.map(hover),
              theme.colours[i % 8])
        ];
      });
      const hollow = values.filter((row) => row.warm_up);
      if (hollow.length > 0) {
        traces.push({
          type: "scatter",
          mode: "markers",
          name: "warm-up",
          x: hollow.map((row) => names[row.group - 1]),
          y: hollow.map((row) => row.time_s / unit.size),
          hoverinfo: "text",
          hovertext: hollow.map((row) => `${hover(row)}, a warm-up`),
          marker: {
            color: theme.paper,
            size: 8,
            line: {
              color: hollow.map((row) => theme.colours[(row.group - 1) % 8]),
              width: hollow.map(() => 1.5)
            }
          }
        });
      }
      return {
        traces,
        layout: {
          showlegend: false,
          margin: { l: 56, r: 18, t: 10, b: 46 },
          xaxis: { type: "category", categoryarray: names },
          yaxis: { title: `time (${unit.name})`, type: "linear", rangemode: "tozero" }
        }
      };
    },
    table: ({ values }) => lapcast.columns_table(
        values.map((row) => ({...row, name: lapcast.name_of(part.repeats[row.group - 1] ?? {}) })),
        { name: ["candidate"], run: ["run"], time_s: ["time", "time"], warm_up: ["warm-up", "truth"] })
  });

  const p_text = (p) => (p < 0.0001 ? (lapcast.narrow() ? "<1e-4" : "<0.0001")
          : lapcast.narrow() && p < 0.001 ? p.toExponential(0)
                                          : String(Number(p.toPrecision(2))));

  // Returns the matrix of one figure: a p-value is in the row of one group and the column of the
  // other.
  const matrix_of = (part, metric, shared) => ({
    ...shared,
    name: `repeat-p-${metric}${shared.name}`,
    title: `Do the ${METRICS[metric]}s differ?${shared.title}`.replace("accuracys", "accuracies"),
    question: "p-values of Welch's test of every pair, adjusted by Holm; deeper green is surer " +
        "that they differ, and a star is below 0.05.",
    says: () => says_shared(part),
    height: () => {
      const lines = Math.max(...names_of(part).map((name) => name.split("<br>").length));
      return 110 + Math.max(40, 15 * lines + 8) * Math.min(P_MOST_GROUPS, part.repeats.length);
    },
    data: () => {
      const full = part.names ?? [];
      const tests = (part.repeat_tests ?? []).filter(
          (row) => row.metric === metric && lapcast.known(row.adjusted_p));
      return tests.length > 0 ? { tests, full: full.slice(0, P_MOST_GROUPS) } : null;
    },
    figure({ tests, full }, theme) {
      // Columns have numbers, so that names leave room for the cells.
      const short = names_of(part).slice(0, P_MOST_GROUPS);
      const names = short.map((name, i) => `${name} #${i + 1}`);
      const find = (a, b) => tests.find((row) => row.a === full[a] && row.b === full[b]) ??
          tests.find((row) => row.b === full[a] && row.a === full[b]);
      const cells = names.map((_, a) => names.map((__, b) => (a === b ? undefined : find(a, b))));
      const texts = cells.map((line) => line.map(
          (row) => (row ? `${label(p_text(row.adjusted_p))}${row.differs ? "*" : ""}` : "")));
      return {
        traces: [{
          type: "heatmap",
          x: names.map((_, i) => `#${i + 1}`),
          y: names,
          z: cells.map((line) => line.map((row) => (row ? 1 - row.adjusted_p ** 0.25 : null))),
          zmin: 0,
          zmax: 1,
          colorscale: theme.scale,
          showscale: false,
          xgap: 2,
          ygap: 2,
          hoverinfo: "text",
          hovertext: cells.map((line, a) => line.map((row, b) => (
              row ? `${short[a]} and ${short[b]}<br>adjusted p ${label(p_text(row.adjusted_p))}` : "")))
        }],
        layout: {
          xaxis: { type: "category", showgrid: false },
          yaxis: { type: "category", autorange: "reversed", showgrid: false },
          annotations: lapcast.heat_notes(names, texts, theme)
        }
      };
    },
    table: ({ tests }) => lapcast.columns_table(tests, {
      a: ["one"],
      b: ["other"],
      p: ["p", "number"],
      adjusted_p: ["adjusted p", "number"],
      effect_size: ["effect size", "number"],
      differs: ["differs", "truth"]
    })
  });

  lapcast.family((page) => {
    const parts = (page.data.repeats ?? []).filter((part) => part.repeats?.length > 0);
    return parts.slice(0, 8).flatMap((part, i) => {
      const several = parts.length > 1;
      const shared = {
        section: "repeats",
        order: i,
        name: several ? `-${i + 1}` : "",
        title: several ? `, program ${i + 1}` : ""
      };
      return [
        boxes_of(part, shared),
        ...Object.keys(METRICS).map((metric) => matrix_of(part, metric, shared))
      ];
    });
  });
}
