// What the GPUs of one run did over time: how busy each was, its memory, and the power of all.
{
  const { format } = lapcast;
  const NS = 1e-9;

  // Returns the times of packed samples, each of which is the difference from the one before.
  const seconds_of = (at_ns) => {
    let now = 0;
    return Array.from(at_ns, (step) => (now += step) * NS);
  };

  // Returns the samples of each GPU that say something: {gpu, at_s, busy, memory, of}.
  const samples_of = (packed) => {
    if (!packed?.at_ns) return [];
    const at_s = seconds_of(packed.at_ns);
    const known = (name, i) => (packed[name]?.[i] >= 0 ? packed[name][i] : null);
    return at_s.map((at, i) => ({
      gpu: packed.gpu[i],
      at_s: at,
      busy: known("busy_percent", i),
      memory: known("memory_bytes", i),
      of: known("memory_total_bytes", i)
    }));
  };

  const power_of = (load) => {
    if (!load?.gpu_mw) return [];
    const at_s = seconds_of(load.at_ns);
    return at_s.map((at, i) => ({ at_s: at, watts: load.gpu_mw[i] / 1000 }))
        .filter((each) => each.watts >= 0);
  };

  // Returns the power of the run's parts, and how its GPUs are set up, in words.
  const says_of = ({ parts, set_up }) => {
    const powers = parts.filter((part) => lapcast.known(part.gpu_w))
                       .map((part) => `${lapcast.safe(part.part, 40)} ${format.number(part.gpu_w)} W`);
    const named = (name, value, unit = "") =>
        (value === null || value === undefined ? "" : `${name} ${lapcast.safe(value, 60)}${unit}`);
    const gpus = set_up.map((gpu) => [
      `GPU ${gpu.gpu}: ${lapcast.safe(gpu.model, 80)}`, named("driver", gpu.driver),
      named("limit", gpu.power_limit_w, " W"), named("top clock", gpu.top_clock_mhz, " MHz"),
      named("ECC", gpu.ecc), named("MIG", gpu.mig), named("PCIe", gpu.pcie),
      named("mode:", gpu.compute_mode)
    ].filter(Boolean).join(", "));
    return [powers.length > 0 ? `Power: ${powers.join(", ")}` : "", ...gpus].filter(Boolean).join(". ");
  };

  const line = (name, samples, value, text, style) => ({
    type: "scatter",
    mode: "lines",
    name,
    x: samples.map((each) => each.at_s),
    y: samples.map(value),
    hoverinfo: "text",
    hovertext: samples.map((each) => `${name}: ${text(each)}<br>after ${format.duration(each.at_s)}`),
    ...style
  });

  // Returns the lines of one GPU: how busy it was, and the share of its memory that was in use.
  const lines_of = (data, gpu, place, theme) => {
    const mine = data.samples.filter((each) => each.gpu === gpu);
    const colour = theme.colours[place % theme.colours.length];
    const busy = mine.filter((each) => each.busy !== null);
    const memory = mine.filter((each) => each.memory !== null && each.of > 0);
    return [
      line(`GPU ${gpu} busy`, busy, (each) => each.busy, (each) => `${each.busy} %`,
          { line: { width: 1.5, color: colour } }),
      line(`GPU ${gpu} memory`, memory, (each) => 100 * each.memory / each.of,
          (each) => `${format.bytes(each.memory)} of ${format.bytes(each.of)}`,
          { line: { width: 1.5, color: colour, dash: "dot" } })
    ].filter((each) => each.x.length > 0);
  };

  lapcast.chart({
    name: "gpus",
    title: "GPUs over time",
    section: "runs",
    order: 2,
    wide: true,
    per_run: true,
    question: "Were the GPUs busy, how full was their memory, and what power did they take?",
    height: (data) => (data?.power.length ? 420 : 300),
    shows: (page) => page.runs.some((run) => run.gpu_load?.count > 0),
    async data(page) {
      const samples = samples_of(await lapcast.unpack(page.run?.gpu_load));
      const power = power_of(await lapcast.unpack(page.run?.load));
      const parts = page.run?.power ?? [], set_up = page.run?.gpu_set_up ?? [];
      return samples.length > 0 ? { samples, power, parts, set_up } : null;
    },
    says: says_of,
    figure(data, theme) {
      const ends = [...data.samples, ...data.power].map((each) => each.at_s);
      const unit = format.time_unit(ends.reduce((a, b) => Math.max(a, b), 0));
      const gpus = [...new Set(data.samples.map((each) => each.gpu))];
      const split = data.power.length > 0 ? 0.4 : 0;
      const layout = {
        xaxis: { title: `since the start of the run (${unit.name})`, type: "linear",
          anchor: split > 0 ? "y2" : "y" },
        yaxis: { title: "%", type: "linear", range: [0, 105], domain: [split, 1] }
      };
      const traces = gpus.flatMap((gpu, place) => lines_of(data, gpu, place, theme));
      if (split > 0) {
        layout.yaxis2 =
            { title: "W", type: "linear", rangemode: "tozero", domain: [0, split - 0.1], nticks: 4 };
        traces.push(line("power of all GPUs", data.power, (each) => each.watts,
            (each) => `${format.number(each.watts)} W`,
            { yaxis: "y2", line: { width: 1.5, color: theme.accent } }));
      }
      for (const trace of traces) trace.x = trace.x.map((at) => at / unit.size);
      return { traces, layout };
    },
    table: ({ samples }) => lapcast.columns_table(samples, {
      gpu: ["GPU", "number"],
      at_s: ["after", "time"],
      busy: ["busy, %", "number"],
      memory: ["memory, bytes", "number"]
    }),
  });
}
