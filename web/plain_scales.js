// Axes of the plain drawings: from values to places, and where ticks stand.
{
  const DAY = 86400e3;

  const number_of = (axis, value) =>
      (axis.type === "date" ? Date.parse(`${value}Z`) : Number(value));

  // Returns the values that the traces have on an axis, with ends of error bars and stacked bars.
  const values_on = (axis, letter, traces, barmode) => {
    const values = [];
    const stacks = new Map();
    for (const trace of traces) {
      const own = trace[letter] ?? [];
      const error = trace[`error_${letter}`];
      const is_length = trace.type === "bar" && (letter === "x") === (trace.orientation === "h");
      if (is_length) values.push(0);
      own.forEach((value, i) => {
        if (value === null || value === undefined) return;
        const at = number_of(axis, value) + (is_length ? trace.base?.[i] ?? 0 : 0);
        values.push(at + (error?.array?.[i] ?? 0), at - (error?.arrayminus?.[i] ?? 0));
        if (!is_length || barmode !== "stack") return;
        const place = trace[letter === "x" ? "y" : "x"][i];
        stacks.set(place, (stacks.get(place) ?? 0) + at);
      });
    }
    return [...values, ...stacks.values()].filter(Number.isFinite);
  };

  const categories_of = (axis, letter, traces) => {
    const found = new Set((axis.categoryarray ?? []).map(String));
    for (const trace of traces)
      for (const value of trace[letter] ?? (trace.type === "box" ? [trace.name] : []))
        if (value !== null && value !== undefined) found.add(String(value));
    return [...found];
  };

  const range_of = (axis, letter, traces, barmode) => {
    if (axis.range) return axis.range;
    let values = values_on(axis, letter, traces, barmode);
    if (axis.type === "log") values = values.filter((value) => value > 0).map(Math.log10);
    if (values.length === 0) return [0, 1];
    let low = values.reduce((a, b) => Math.min(a, b));
    let high = values.reduce((a, b) => Math.max(a, b));
    const room = 0.05 * (high - low || Math.abs(high) || 1);
    if (axis.rangemode === "tozero" && low >= 0) return [0, high + room];
    const bars = axis.type !== "log" && traces.some((trace) => trace.type === "bar") && low === 0;
    low -= bars ? 0 : room;
    high += room;
    return [low, high];
  };

  // Returns a scale: place(value), its ticks [{at, text}], and whether it is of categories.
  lapcast.plain_scale = (axis, letter, traces, barmode, from, to) => {
    if (axis.type === "category") {
      const names = categories_of(axis, letter, traces);
      const [low, high] = axis.range ?? [-0.5, names.length - 0.5];
      const back = axis.autorange === "reversed";
      const place_of = (i) => from + ((back ? high - i : i - low) / (high - low)) * (to - from);
      const place = (value) => place_of(typeof value === "number" && !names.includes(String(value))
              ? value
              : names.indexOf(String(value)));
      return {
        place,
        names,
        band: Math.abs((to - from) / (high - low)),
        ticks: names.map((text, i) => ({ at: place_of(i), text }))
      };
    }
    const [low, high] = range_of(axis, letter, traces,
        barmode).map((value) => (typeof value === "string" ? Date.parse(value) : value));
    const place_in = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
    const place = (value) =>
        place_in(axis.type === "log" ? Math.log10(value) : number_of(axis, value));
    const room = Math.max(2, Math.round(Math.abs(to - from) / (letter === "x" ? 90 : 40)));
    const steps = axis.tickvals ?? steps_of(axis, low, high, room);
    const text = (value, i) => axis.ticktext?.[i] ?? tick_text(axis, value);
    return {
      place,
      ticks: steps.map(
          (value, i) =>
              ({ at: axis.type === "date" ? place_in(value) : place(value), text: text(value, i) }))
    };
  };

  const tick_text = (axis, value) => {
    if (axis.type === "date")
      return new Date(value).toISOString().slice(5, value % DAY === 0 ? 10 : 16).replace("T", " ");
    return String(Number(value.toPrecision(6)));
  };

  // Returns round values between two bounds: multiples of 1, 2 or 5; on a logarithmic axis decades.
  const steps_of = (axis, low, high, room) => {
    if (axis.type === "log") {
      const digits = high - low > 2.5 ? [1] : [1, 2, 5];
      const decades = Array
                          .from({ length: Math.ceil(high) - Math.floor(low) + 1 },
                              (_, i) => Math.floor(low) + i)
                          .slice(0, 40);
      return decades.flatMap((decade) => digits.map((digit) => digit * 10 ** decade))
          .filter((value) => Math.log10(value) >= low && Math.log10(value) <= high);
    }
    const rough = (high - low) / room;
    if (!(rough > 0)) return [low];
    let step = DAY * Math.max(1, Math.ceil(rough / DAY));
    if (axis.type !== "date" || rough < DAY / 4) {
      const ten = 10 ** Math.floor(Math.log10(rough));
      step = ten * ([1, 2, 5].find((digit) => digit * ten >= rough) ?? 10);
    }
    const steps = [];
    for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step && steps.length < 60;
         value += step)
      steps.push(value);
    return steps;
  };
}
