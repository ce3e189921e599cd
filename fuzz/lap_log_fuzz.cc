// Checks that any bytes as a lap log cause no crash and keep the promises of docs/lap-log.md.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool same_metrics(const LapLog& a, const LapLog& b) {
  return std::ranges::equal(a.metrics, b.metrics, [](const MetricPoint& x, const MetricPoint& y) {
    return x.name == y.name && x.at_ns == y.at_ns && x.laps_before == y.laps_before;
  });
}

bool same(const LapLog& a, const LapLog& b) {
  return a.hello == b.hello && a.plan == b.plan && a.laps == b.laps && a.stages == b.stages &&
         a.validations == b.validations && a.epochs == b.epochs && same_metrics(a, b) &&
         a.phases == b.phases && a.notes == b.notes && a.loads == b.loads && a.gpus == b.gpus &&
         a.device_memory_bytes == b.device_memory_bytes && a.damage == b.damage &&
         a.said_bye == b.said_bye && a.last_ns == b.last_ns;
}

bool is_in_order(const LapLog& log) {
  std::int64_t last = 0;
  for (const Lap& lap : log.laps) {
    if (lap.begin_ns < last || lap.end_ns < lap.begin_ns || lap.samples < 0) return false;
    last = lap.end_ns;
  }
  return last <= log.last_ns && (log.laps.empty() || log.hello);
}

/// The end of the last laps of a log that is cut off may not be known yet.
bool is_prefix(const LapLog& part, const LapLog& whole) {
  return part.laps.size() <= whole.laps.size() &&
         std::equal(part.laps.begin(), part.laps.end(), whole.laps.begin(),
                    [](const Lap& cut, const Lap& lap) {
                      return cut == lap || (!cut.finished && cut.index == lap.index &&
                                            cut.samples == lap.samples && cut.epoch == lap.epoch);
                    });
}

/// Reads the bytes in pieces of size, 2 * size, 3 * size ...
LapLog read_in_pieces(std::string_view text, std::size_t size) {
  LapLogReader reader;
  for (std::size_t piece = size; !text.empty(); piece += size) {
    reader.feed(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  reader.finish();
  return std::move(reader).take();
}

/// Checks that the text kept of a log gives the same events when it is read again.
void check_kept(std::string_view text, const LapLog& whole) {
  KeptLines kept;
  LapLogReader reader(kept);
  reader.feed(text);
  reader.finish();
  const std::string lines = reader.text();
  require(lines.size() <= text.size());
  LapLog read = std::move(reader).take();
  LapLog again = parse_lap_log(lines);
  require(kept.dropped_events().lines > 0 || read.laps == whole.laps);
  read.damage = again.damage = {};
  require(same(read, again));
}

/// Checks the bytes; the first one chooses the pieces and where the log is cut.
void check(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t choice = static_cast<unsigned char>(bytes[0]);
  const std::string_view text = bytes.substr(1);
  const LapLog whole = parse_lap_log(text);
  require(is_in_order(whole));
  check_kept(text, whole);
  require(same(read_in_pieces(text, 1 + choice), whole));
  require(is_prefix(parse_lap_log(text.substr(0, text.size() * choice / 256)), whole));
  const LapLog logs[] = {whole, parse_lap_log(text.substr(text.size() / 2))};
  require(merge_ranks(logs).laps == whole.laps || logs[1].hello);
}

}  // namespace
}  // namespace lapcast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lapcast::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
