// Writes numbers for people in the words of the command line: src/core/units.cc and
// src/table/table.cc.
{
  const known = (value) => typeof value === "number" && Number.isFinite(value);

  // Returns so many decimals; of two that are equally near the even one, as C++ does: toFixed takes
  // the larger one.
  const fixed = (value, decimals) => {
    const MORE = 30;  // decimals that tell every double from an exact half
    const exact = Math.abs(value) < 1e15 ? Math.abs(value).toFixed(decimals + MORE) : "";
    const below = exact.slice(0, -MORE).replace(/\.$/, "");
    const is_even_half = /^50*$/.test(exact.slice(-MORE)) && Number(below.at(-1)) % 2 === 0;
    return is_even_half ? (value < 0 ? "-" : "") + below : value.toFixed(decimals);
  };

  // Returns three significant digits; a number that rounds to 1000 keeps four.
  const three_digits = (value) => fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);

  const short_duration = (s) => {
    if (s === 0) return "0 s";
    if (s < 999.5e-9) return `${fixed(s * 1e9, 0)} ns`;
    if (s < 999.5e-6) return `${three_digits(s * 1e6)} us`;
    if (s < 999.5e-3) return `${three_digits(s * 1e3)} ms`;
    return `${three_digits(s)} s`;
  };

  const long_duration = (s) => {
    const two = (n) => String(n).padStart(2, "0");
    if (s < 3599.5) {
      const whole = Math.round(s);
      return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
    }
    if (s < 86400 - 30) {
      const whole = Math.round(s / 60);
      return `${Math.floor(whole / 60)} h ${two(whole % 60)} min`;
    }
    if (s >= 100 * 365.25 * 86400) return `${(s / (365.25 * 86400)).toPrecision(3)} years`;
    const whole = Math.round(s / 3600);
    return `${Math.floor(whole / 24)} d ${whole % 24} h`;
  };

  // Returns "4.21 ms", "18.3 s", "4 min 12 s", "3 h 07 min", "2 d 4 h".
  const duration = (seconds) => {
    if (!known(seconds)) return "–";
    const s = Math.abs(seconds);
    return (seconds < 0 ? "-" : "") + (s < 59.95 ? short_duration(s) : long_duration(s));
  };

  // Returns cents from 1 USD on, three significant digits below: "$12.24", "$0.00314", "$0.20".
  const dollars = (usd) => {
    if (!known(usd)) return "–";
    const amount = Math.round(Math.abs(usd) * 1e9) / 1e9;
    let text = amount.toFixed(2);
    if (amount > 0 && amount < 0.995) {
      const decimals = Math.min(9, Math.max(2, 2 - Math.floor(Math.log10(amount))));
      text = amount.toFixed(decimals);
      while (text.endsWith("0") && text.split(".")[1].length > 2) text = text.slice(0, -1);
    }
    return (usd < 0 ? "-$" : "$") + text;
  };

  // Returns "2.1 %" for 0.0212, "50 %" for 0.5, "0.04 %" for 0.0004.
  const share = (value) => {
    if (!known(value)) return "–";
    const percent = value * 100;
    if (Math.abs(percent) < 1e-4) return "0 %";
    if (Math.abs(percent) >= 9.95) return `${fixed(percent, 0)} %`;
    const exponent = Math.floor(Math.log10(Math.abs(percent)));
    let text = fixed(percent, Math.min(9, 1 - exponent));
    if (exponent < 0 && text.endsWith("0")) text = text.slice(0, -1);
    return `${text} %`;
  };

  // Returns whole percent, never surer than "> 99 %" or "< 1 %": no model is surer of itself.
  const chance = (value) => {
    if (!known(value)) return "–";
    if (value > 0.99) return "> 99 %";
    return value < 0.01 ? "< 1 %" : `${fixed(100 * value, 0)} %`;
  };

  // Returns three significant digits without an exponent.
  const number = (value) => {
    if (!known(value)) return "–";
    if (value === 0) return "0";
    if (Math.abs(value) >= 1e15) return value.toPrecision(3);
    const before = Math.floor(Math.log10(Math.abs(value))) + 1;
    return fixed(value, Number.isInteger(value) ? 0 : Math.min(9, Math.max(0, 3 - before)));
  };

  const bytes = (count) => {
    if (!known(count)) return "–";
    if (Math.abs(count) < 1024) return `${count} B`;
    const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let value = count / 1024;
    let unit = 0;
    while (Math.abs(value) >= 1023.95 && unit + 1 < units.length) {
      value /= 1024;
      ++unit;
    }
    return `${value.toFixed(1)} ${units[unit]}`;
  };

  // Returns the bounds of an interval, "1.21–1.91 s" or "4 min 02 s to 4 min 30 s"; "" without.
  const bounds = (format, low, high) => {
    if (!known(low) || !known(high) || low === high) return "";
    const [a, b] = [format(low), format(high)];
    if (a.startsWith("$") && b.startsWith("$")) return `${a}–${b.slice(1)}`;
    const [first, second] = [a.split(" "), b.split(" ")];
    const same_unit = first.length === 2 && second.length === 2 && first[1] === second[1];
    if (same_unit) return `${first[0]}–${second[0]} ${first[1]}`;
    return first.length === 1 && second.length === 1 ? `${a}–${b}` : `${a} to ${b}`;
  };

  // Returns "2026-11-25 12:47" for "2026-11-25T12:47:07Z".
  const moment = (at) => safe(at, 24).replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, "");

  const BIDI = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u206f]/g;
  const UNSAFE =
      /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])/g;
  const escape_of = (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;

  // Makes foreign text safe to show: marks that reorder text become their escapes, "\u202e", control
  // characters "?", line breaks a space, and a text longer than `most` characters is cut. It stays
  // text: a caller puts it into a text node.
  const safe = (text, most = 200) => {
    if (text === null || text === undefined) return "";
    let plain = String(text).slice(0, 2 * most + 2).replace(/[\n\r\t]+/g, " ");
    plain = plain.replace(UNSAFE, "?").replace(BIDI, escape_of);
    // Marks above marks would run out of their line: two of them on a letter are enough.
    plain = plain.normalize("NFC").replace(/(\p{M}{2})\p{M}+/gu, "$1");
    return plain.length > most ? `${plain.slice(0, most - 3)}...` : plain;
  };

  // Returns safe text for a chart. Charts read simple markup in texts, so its signs are escaped.
  // A chart also uses texts as keys of objects, and one text is special there.
  const label = (text, most = 48) => safe(text, most)
                                         .replace(/^__proto__$/, "__proto__ ")
                                         .replace(/&/g, "&amp;")
                                         .replace(/</g, "&lt;")
                                         .replace(/>/g, "&gt;");

  // Returns a number as `number` does, without the zeros behind its last digit: for ticks.
  const round_number = (value) => number(value).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

  // Returns "batch=64 lr=0.1" for the settings of a candidate, which some tables hold as text.
  const settings = (values) => (typeof values === "string" ? values
          : Object.entries(values ?? {}).map(([name, value]) => `${name}=${value}`).join(" "));

  // Returns the unit for an axis whose largest value is `most` seconds.
  const time_unit = (most) => {
    const units = [
      ["ns", 1e-9], ["us", 1e-6], ["ms", 1e-3], ["s", 1], ["min", 60], ["h", 3600], ["days", 86400]
    ];
    let best = units[0];
    for (const unit of units)
      if (most >= 2 * unit[1]) best = unit;
    return { name: best[0] === "us" ? "µs" : best[0], size: best[1] };
  };

  lapcast.known = known;
  lapcast.format = {
    duration,
    dollars,
    share,
    chance,
    number,
    round_number,
    bytes,
    moment,
    bounds,
    fixed,
    safe,
    label,
    settings,
    time_unit
  };
  lapcast.safe = safe;
  lapcast.label = label;
}
