// Two sets of runs as box plots with every run shown.
{
  const { format, label } = lapcast;

  const IDS = /^[0-9a-f]{4,}(,[0-9a-f]{4,})+$/;

  // Returns the name of a side's set, or where that is a list of ids how many runs it has.
  lapcast.set_name = (sets, side, most) => {
    const { set: name = side, n } = sets?.find((each) => each.side === side) ?? {};
    return n > 0 && IDS.test(name) ? `${n} runs` : lapcast.safe(name, most);
  };
  const title = (sets, side) =>
      lapcast.wrapped(`${side}: ${lapcast.set_name(sets, side, 60)}`, lapcast.narrow() ? 18 : 28);

  // Returns the trace of a box with every point.
  lapcast.box = (name, values, hovertext, colour) => ({
    type: "box",
    name,
    y: values,
    boxpoints: "all",
    jitter: 0.5,
    pointpos: 0,
    hoverinfo: "text",
    hoveron: "points",
    hovertext,
    line: { color: colour, width: 1.5 },
    fillcolor: lapcast.faded(colour, 0.12),
    marker: { color: colour, size: 6, opacity: 0.85 }
  });

  lapcast.chart({
    name: "compare",
    title: "A against B",
    section: "comparison",
    order: 1,
    question: "Do the two sets differ, or do they only scatter? Every point is a run.",
    height: 420,
    data(page) {
      const { compare } = page.data;
      const values = (compare?.values ?? []).filter((row) => lapcast.known(row.value));
      return values.length > 0 ? {...compare, values } : null;
    },
    figure({ values, sets, comparison, metric, unit }, theme) {
      const is_time = unit === "s";
      const scale = is_time ? format.time_unit(Math.max(...values.map((row) => row.value)))
                            : { name: unit ?? "", size: 1 };
      const write = (value) =>
          (is_time ? format.duration(value) : `${format.number(value)} ${label(unit ?? "", 12)}`);
      const sides = [...new Set(values.map((row) => row.set))].slice(0, 4);
      const p = comparison?.p;
      return {
        traces: sides.map((side, i) => {
          const mine = values.filter((row) => row.set === side);
          return lapcast.box(title(sets, side), mine.map((row) => row.value / scale.size),
              mine.map((row) => `run ${label(row.run, 14)}<br>${write(row.value)}`),
              theme.colours[i]);
        }),
        layout: {
          showlegend: false,
          margin: { l: 56, r: 18, t: 30, b: 36 },
          xaxis: { type: "category" },
          yaxis: {
            title: `${label(metric ?? comparison?.metric ?? "value", 30)}${
                scale.name ? ` (${label(scale.name, 12)})` : ""}`,
            type: "linear"
          },
          annotations: lapcast.known(p) ? [{
            xref: "paper",
            x: 0.5,
            yref: "paper",
            y: 1.02,
            yanchor: "bottom",
            font: { size: 13, color: theme.text },
            text: `p ${p < 0.001 ? "&lt; 0.001" : `= ${format.number(p)}`} (Welch's t test)`
          }]
                                        : []
        },
      };
    },
    table: ({ values, unit }) => lapcast.columns_table(
        values, { set: ["set"], run: ["run"], value: ["value", unit === "s" ? "time" : "number"] }),
  });

  lapcast.chart({
    name: "compare-sets",
    title: "The two sets in figures",
    section: "comparison",
    order: 2,
    question: "Mean of each set, and its 95 % interval.",
    height: 420,
    data: (page) => (page.data.compare?.sets?.some((set) => lapcast.known(set.mean)) ? {
      sets: page.data.compare.sets.filter((set) => lapcast.known(set.mean)),
      unit: page.data.compare.unit
    }
                                                                                     : null),
    figure({ sets, unit }, theme) {
      const scale = unit === "s" ? format.time_unit(Math.max(...sets.map((set) => set.mean)))
                                 : { name: unit ?? "", size: 1 };
      return {
        traces: [{
          type: "scatter",
          mode: "markers",
          x: sets.map((set) => title(sets, set.side)),
          y: sets.map((set) => set.mean / scale.size),
          marker: { size: 11, color: sets.map((_, i) => theme.colours[i % 8]) },
          hoverinfo: "text",
          hovertext: sets.map((set) => `${label(set.set)}<br>mean ${format.number(set.mean)} of ${
                                  set.n} runs<br>deviation ${format.number(set.sd)}`),
          error_y: {
            type: "data",
            symmetric: false,
            color: theme.text,
            thickness: 1.5,
            width: 8,
            array: sets.map((set) => ((set.mean_high ?? set.mean) - set.mean) / scale.size),
            arrayminus: sets.map((set) => (set.mean - (set.mean_low ?? set.mean)) / scale.size)
          }
        }],
        layout: {
          showlegend: false,
          margin: { l: 56, r: 18, t: 30, b: 36 },
          xaxis: { type: "category", range: [-0.5, sets.length - 0.5] },
          yaxis: { title: `mean${scale.name ? ` (${label(scale.name, 12)})` : ""}`, type: "linear" }
        }
      };
    },
    table: ({ sets, unit }) => {
      const kind = unit === "s" ? "time" : "number";
      return lapcast.columns_table(sets, {
        side: ["side"],
        set: ["set"],
        runs_of: ["runs of"],
        n: ["runs", "number"],
        mean: ["mean", kind],
        mean_low: ["from", kind],
        mean_high: ["to", kind],
        sd: ["deviation", kind],
        min: ["smallest", kind],
        max: ["largest", kind]
      });
    },
  });
}
