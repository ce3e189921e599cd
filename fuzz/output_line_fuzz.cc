// Fuzzes the laps that are made of a program's output: what comes out is a valid lap log.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "lap/counted_laps.h"
#include "lap/lap_log_reader.h"
#include "lap/output_line.h"
#include "lap/suggested_pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lapcast;
  static const LinePattern usual = LinePattern::usual();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t head = input.find('\n');
  const auto own = LinePattern::of(std::string(input.substr(0, head)));
  const LinePattern& pattern = own ? *own : usual;
  CountedLaps laps;
  std::string text = "lapcast-laps 1\n0 hello clock=0\n";
  std::int64_t now = 0;
  std::vector<std::string> lines;
  for (std::size_t at = head; at < size;) {
    const std::size_t end = std::min(input.find('\n', at + 1), size);
    lines.emplace_back(input.substr(at + 1, end - at - 1));
    now += 1'000'000 * static_cast<std::int64_t>(end - at);
    if (const auto counters = pattern.match(lines.back())) text += laps.take(*counters, now);
    if (text.size() > 1 << 22) break;
    at = end;
  }
  text += laps.finish(now, size % 2 == 0);
  suggested_pattern(lines);
  LapLogReader reader;
  reader.feed(text);
  reader.finish();
  if (reader.log().damage) std::abort();
  return 0;
}
