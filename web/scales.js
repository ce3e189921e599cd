// Helpers of several charts: names of their rows, axes that fit their values, stacked bars, tables.
{
  const { format, label } = lapcast;

  // Returns "small batch=64" for a candidate or a run.
  lapcast.name_of =
      (row) => [row.machine_type, format.settings(row.settings)].filter(Boolean).join(" ");

  // Returns "small batch=64 aws/ec2/small/spot" for a candidate under an offer.
  lapcast.full_name = (row) => [lapcast.name_of(row), row.offer].filter(Boolean).join(" ");

  // Returns this name as a label, of the offer only what stands behind its last slash: "spot".
  lapcast.short_name = (row, most) =>
      lapcast.wrapped(lapcast.full_name({
        ...row, offer: String(row.offer ?? "").split("/").pop()
      }), most);

  // Returns a label in lines of at most `most` characters, so that nothing of it is cut: broken at
  // blanks, and a longer word behind the signs of names.
  lapcast.wrapped = (text, most = lapcast.narrow() ? 22 : 30) => {
    const lines = [];
    const add = (piece, between) => {
      const whole = `${lines.at(-1) ?? ""}${between}${piece}`;
      if (lines.length > 0 && whole.length <= most) lines[lines.length - 1] = whole;
      else lines.push(piece);
    };
    for (const word of lapcast.safe(text, 160).split(" ").filter(Boolean)) {
      const pieces = word.length <= most ? [word] : word.match(/[^/_=+.,:-]*[/_=+.,:-]*/g);
      pieces.flatMap((piece) => piece.match(new RegExp(`.{1,${most}}`, "gsu")) ?? [])
          .forEach((piece, i) => add(piece, i === 0 ? " " : ""));
    }
    return lines.map((line) => label(line, most)).join("<br>");
  };

  // Returns nodes of a name that may be broken behind the signs within it.
  lapcast.soft = (text) => lapcast.safe(text)
                               .split(/(?<=[/_=+.,:-])/)
                               .flatMap((part, i) => (i > 0 ? [lapcast.el("wbr"), part] : [part]));

  // Returns nodes of a text in which `commands` stand between backticks.
  lapcast.with_code = (text) => String(text).split("`").map(
      (part, i) => (i % 2 === 1 ? lapcast.el("code", {}, part) : part));

  const lines_in = (text) => text.split("<br>");
  const longest_line = (texts) =>
      Math.max(0, ...texts.flatMap(lines_in).map((line) => line.length));

  // Returns labels of which no two are equal, as a chart draws rows of one name into each other:
  // repeated ones get `apart(i)` behind them, or else their number.
  lapcast.distinct = (labels, apart = (i) => i + 1) => {
    const told_apart = (texts, more) => texts.map((text, i) => (
        texts.indexOf(text) === texts.lastIndexOf(text) ? text : `${text} · ${more(i)}`));
    return told_apart(told_apart(labels, apart), (i) => i + 1);
  };

  // Returns the height of a chart of horizontal bars with these names, each of `bars` bars, and
  // with this legend.
  lapcast.bars_height = (names, legend = [], bars = 1) => {
    const lines = Math.max(1, ...names.map((name) => lines_in(name).length));
    return 70 + lapcast.legend_height(legend) + names.length * Math.max(26 * bars, 15 * lines + 8);
  };

  // Returns the height of a legend, whose entries stand in columns as wide as the longest.
  lapcast.legend_height = (entries) => {
    const room = lapcast.narrow() ? innerWidth - 50 : 520;
    const columns = Math.max(1, Math.floor(room / (44 + 7 * longest_line(entries))));
    const lines = Math.max(1, ...entries.map((entry) => lines_in(entry).length));
    return 20 * lines * Math.ceil(entries.length / columns);
  };

  // Returns how many pixels the longest of these labels takes beside a chart.
  lapcast.label_width = (names) => 10 + 7 * longest_line(names);

  // Returns the figure of stacked horizontal bars, one for each name: `value(i, part)` is the
  // length of a part of bar i, and `hover(i, part)` says it in words.
  lapcast.stacked_bars = ({ names, parts, value, hover, axis, colours }) => ({
    traces: parts.map((part, p) => ({
      type: "bar",
      orientation: "h",
      name: lapcast.wrapped(part, 24),
      y: names,
      x: names.map((_, i) => value(i, part)),
      hoverinfo: "text",
      hovertext: names.map((name, i) => `${name}<br>${label(part)}: ${hover(i, part)}`),
      marker: { color: colours[p % colours.length] }
    })),
    layout: {
      barmode: "stack",
      xaxis: { title: axis, type: "linear", rangemode: "tozero" },
      yaxis: { type: "category", autorange: "reversed" },
      bargap: 0.35
    }
  });

  // Returns 1, 2 and 5 times powers of ten.
  const tens = () => Array.from({ length: 24 }, (_, i) => 10 ** (i - 12))
                         .flatMap((ten) => [ten, 2 * ten, 5 * ten]);

  // Returns round durations in seconds, from parts of a second to 100 days.
  const durations = () => {
    const short = tens().filter((value) => value < 0.9);
    const minutes = [1, 2, 5, 10, 20, 30].flatMap((n) => [n, 60 * n]);
    const hours = [1, 2, 5, 10].map((n) => 3600 * n);
    return [...short, ...minutes, ...hours, ...[1, 2, 5, 10, 20, 50, 100].map((n) => 86400 * n)];
  };

  // Returns a duration without its part of zero: "30 min" for "30 min 00 s".
  const short_duration = (seconds) => format.duration(seconds)
                                          .replace(/ 00 (s|min)$/, "")
                                          .replace(/ 0 h$/, "")
                                          .replace(/\.0+ /, " ");

  // Returns what makes an axis logarithmic, with ticks at round values between two bounds. Times
  // are in seconds, and `scale` takes them to the unit of the axis.
  lapcast.log_axis = (low, high, scale, is_time) => {
    const most = lapcast.narrow() ? 4 : 8;
    const all = (is_time ? durations() : tens()).sort((a, b) => a - b);
    const inside = all.filter((value) => value >= low && value <= high);
    const values = inside.filter((_, i) => i % Math.ceil(inside.length / most) === 0);
    const text = (value) => (is_time ? short_duration(value) : format.round_number(value * scale));
    return {
      type: "log",
      tickmode: "array",
      tickvals: values.map((value) => value * scale),
      ticktext: values.map(text)
    };
  };

  // Returns type and range of an axis that holds all intervals of a figure with some room around.
  lapcast.span = (rows, key, scale, wide) => {
    const low = Math.min(...rows.map((row) => row[`${key}_low`] ?? row[key]));
    const high = Math.max(...rows.map((row) => row[`${key}_high`] ?? row[key]));
    if (!wide || !(low > 0)) return { type: "linear", range: [0, high * scale * 1.1 || 1] };
    const [a, b] = [Math.log10(low * scale), Math.log10(high * scale)];
    const range = [a - 0.08 * (b - a) - 0.02, b + 0.12 * (b - a) + 0.02];
    return { ...lapcast.log_axis(low / 1.2, high * 1.3, scale, key === "time_s"), range };
  };

  // Returns a table of the keys {key: [title, kind]} of rows.
  lapcast.columns_table = (rows, columns) => ({
    columns: Object.entries(columns).map(
        ([key, [title, kind]]) => ({ key, title, kind: kind ?? "text" })),
    rows: rows.map((row) => Object.keys(columns).map((key) => {
      const value = row[key];
      return value && typeof value === "object" ? format.settings(value) : value ?? null;
    })),
  });
}
