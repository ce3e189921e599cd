// Unpacks the columns of laps and load samples, and thins out long series for drawing.
{
  const MOST_ROWS = 20e6;

  // Returns a column: N signed 64-bit little-endian integers whose bytes are shuffled (all first
  // bytes, then all second bytes ...) and deflated. Numbers are exact below 2^53.
  const column = async (base64, count) => {
    const bytes = await lapcast.inflate(lapcast.bytes_of(base64), 8 * count);
    if (bytes.length !== 8 * count) throw new Error("a packed column has another length");
    const values = new Float64Array(count);
    const byte = (place, i) => bytes[place * count + i];
    for (let i = 0; i < count; ++i) {
      const low = byte(0, i) + 256 * (byte(1, i) + 256 * (byte(2, i) + 256 * byte(3, i)));
      const high = byte(4, i) | (byte(5, i) << 8) | (byte(6, i) << 16) | (byte(7, i) << 24);
      values[i] = 4294967296 * high + low;
    }
    return values;
  };

  // Returns the columns of a packed table by name, with `count`; null where there is no table.
  lapcast.unpack = async (packed) => {
    if (!packed || !packed.columns || !(packed.count > 0)) return null;
    if (packed.count > MOST_ROWS) throw new Error("too many rows to show");
    const names = Object.keys(packed.columns);
    const columns = await Promise.all(names.map((name) => column(packed.columns[name], packed.count)));
    const table = { count: packed.count };
    names.forEach((name, i) => { table[name] = columns[i]; });
    return table;
  };

  // Returns the laps of a run with begin and length in seconds; null where it has none. Several
  // charts ask for the same run: the laps of the last one are kept.
  let last = { run: null, laps: null };
  lapcast.laps_of = (run) => {
    if (!run || last.run !== run) last = { run, laps: unpacked_laps(run) };
    return last.laps;
  };

  const unpacked_laps = async (run) => {
    const packed = await lapcast.unpack(run?.laps);
    if (!packed?.time_ns) return null;
    const begin_s = new Float64Array(packed.count);
    const time_s = new Float64Array(packed.count);
    let now = 0;
    for (let i = 0; i < packed.count; ++i) {
      now += packed.gap_ns ? packed.gap_ns[i] : 0;
      begin_s[i] = now * 1e-9;
      time_s[i] = packed.time_ns[i] * 1e-9;
      now += packed.time_ns[i];
    }
    return { ...packed, begin_s, time_s, end_s: now * 1e-9 };
  };

  // Returns the indexes to draw of a series with ascending x between two values of x: of each of
  // `buckets` equal pieces of x the first, the lowest, the highest and the last point. This is M4
  // (Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014): a line
  // through them covers the same pixels as one through all points, and no extreme is lost.
  lapcast.m4 = (x, y, from, to, buckets = 500) => {
    const first = lower_bound(x, from);
    const end = lower_bound(x, to, true);
    if (end - first <= 4 * buckets) return Array.from({ length: end - first }, (_, i) => first + i);
    const kept = [];
    const width = (to - from) / buckets;
    for (let i = first; i < end;) {
      const bucket = Math.min(buckets - 1, Math.floor((x[i] - from) / width));
      const begin = i;
      let [low, high] = [i, i];
      for (; i < end && Math.min(buckets - 1, Math.floor((x[i] - from) / width)) === bucket; ++i) {
        if (y[i] < y[low]) low = i;
        if (y[i] > y[high]) high = i;
      }
      kept.push(...new Set([begin, Math.min(low, high), Math.max(low, high), i - 1]));
    }
    return kept;
  };

  // Returns the first index with x >= value, or with x > value.
  const lower_bound = (x, value, above = false) => {
    let [low, high] = [0, x.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] < value || (above && x[middle] === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  // Returns the value below which a share of sorted values lies.
  lapcast.quantile = (sorted, share) => {
    if (sorted.length === 0) return NaN;
    const at = share * (sorted.length - 1);
    const below = Math.floor(at);
    const above = Math.min(sorted.length - 1, below + 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  };
}
