#include "extrapolate/length_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/units.h"
#include "extrapolate/memory_fit.h"

namespace lapcast {
namespace {

// Shares of q L^2 in q L^2 + L at the longest length of 0, 1/5, 1/3, 1/2, 2/3, 4/5 and 1.
constexpr double kBends[] = {0, 0.25, 0.5, 1, 2, 4, std::numeric_limits<double>::infinity()};
constexpr double kSteps = 1e6;  // of the longest length

/// Returns where a length lies on a line with a bend; the longest that was seen is at kSteps.
std::int64_t place_of(double length, double bend) {
  const double share =
      std::isinf(bend) ? length * length : (length + bend * length * length) / (1 + bend);
  return std::max<std::int64_t>(1, std::llround(std::min(kSteps * share, 1e15)));
}

/// Returns the need of one meter.
SequenceNeed need_of(const SequencesSeen& seen, MemoryMeter meter,
                     std::int64_t SequencePeak::*bytes, std::int64_t most) {
  std::vector<MemoryPeak> peaks;
  for (const SequencePeak& peak : seen.peaks)
    if (peak.*bytes > 0) peaks.push_back({peak.length, peak.*bytes});
  SequenceNeed need{.meter = meter,
                    .lengths = static_cast<std::int64_t>(peaks.size()),
                    .most = most > 0 ? most : seen.most,
                    .most_from = most > 0 ? "" : seen.most_from,
                    .line = LengthLine::through(peaks)};
  if (peaks.empty()) return need;
  need.longest = peaks.back().batch;
  need.peak_bytes = peaks.back().bytes;
  if (need.line && need.most > 0) need.needed_bytes = need.line->at(need.most);
  return need;
}

}  // namespace

Result<LengthLine> LengthLine::through(std::span<const MemoryPeak> peaks) {
  if (peaks.empty()) return because("no peak with the length of its sequences was seen");
  const auto [least, most] = std::ranges::minmax_element(peaks, {}, &MemoryPeak::batch);
  if (least->batch == most->batch)
    return because(fmt::format("only sequences of length {} were seen; a line needs two lengths",
                               least->batch));
  LengthLine found;
  found.longest_ = most->batch;
  std::vector<std::pair<double, Bent>> by_error;
  double mean = 0;
  for (const MemoryPeak& peak : peaks) mean += double(peak.bytes) / double(peaks.size());
  for (const double bend : kBends) {
    std::vector<MemoryPeak> placed;
    for (const MemoryPeak& peak : peaks)
      placed.push_back({place_of(double(peak.batch) / double(found.longest_), bend), peak.bytes});
    const auto line = MemoryLine::through(placed);
    if (!line) return tl::unexpected(line.error());
    double squares = 0;
    for (const MemoryPeak& peak : placed)
      squares += std::pow(line->at(peak.batch).mid - double(peak.bytes), 2);
    by_error.emplace_back(std::sqrt(squares / double(peaks.size())) / mean, Bent{bend, *line});
  }
  const bool is_straight = by_error.front().first <= kLeastMemoryDeviation;
  if (!is_straight)
    std::ranges::stable_sort(by_error, {}, [](const auto& entry) { return entry.first; });
  const double most_error = std::max(kLeastMemoryDeviation, by_error.front().first);
  for (auto& [error, bent] : by_error)
    if (error <= most_error) found.possible_.push_back(std::move(bent));
  found.bends_ = found.possible_.front().bend > 0;
  return found;
}

Interval<double> LengthLine::at(const Bent& bent, std::int64_t length) const {
  return bent.line.at(place_of(double(length) / double(longest_), bent.bend));
}

Interval<double> LengthLine::at(std::int64_t length) const {
  Interval<double> bytes = at(possible_.front(), length);
  for (const Bent& bent : possible_) {
    const Interval<double> other = at(bent, length);
    bytes.low = std::min(bytes.low, other.low);
    bytes.high = std::max(bytes.high, other.high);
  }
  return bytes;
}

bool SequenceNeed::fits() const {
  return needed_bytes.high <= kUsableShare * static_cast<double>(memory_bytes);
}

std::string SequenceNeed::in_words() const {
  const char* const unit = by_tokens ? " tokens" : "";
  const char* const seen = by_tokens ? "in the batches seen" : "at the lengths seen";
  const std::string at_most =
      fmt::format("{}{}{}", most, unit, most_from.empty() ? "" : fmt::format(" ({})", most_from));
  const double usable = kUsableShare * static_cast<double>(memory_bytes);
  if (fits())
    return fmt::format("fits at every {} up to {}", by_tokens ? "batch" : "length", at_most);
  if (most <= longest) return fmt::format("does not surely fit at {}", at_most);
  if (static_cast<double>(peak_bytes) > usable)
    return fmt::format("does not fit {} (up to {}{})", seen, longest, unit);
  const bool may_fit = needed_bytes.mid <= usable;
  return fmt::format("fits {} (up to {}{}), {} at {}", seen, longest, unit,
                     may_fit ? "not surely" : "probably not", at_most);
}

std::vector<SequenceNeed> sequence_needs(const SequencesSeen& seen,
                                         std::span<const MeteredMemory> memories,
                                         std::int64_t most) {
  std::vector<SequenceNeed> needs;
  for (const auto& [meter, bytes] :
       {std::pair(MemoryMeter::process, &SequencePeak::process_bytes),
        std::pair(MemoryMeter::allocator, &SequencePeak::device_bytes)}) {
    SequenceNeed need = need_of(seen, meter, bytes, most);
    if (need.lengths == 0) continue;
    need.by_tokens = seen.by_tokens;
    for (const MeteredMemory& memory : memories)
      if (memory.meter == meter) need.memory_bytes = memory.memory_bytes;
    needs.push_back(std::move(need));
  }
  return needs;
}

std::vector<std::string> sequence_warnings(std::span<const SequenceNeed> needs) {
  std::vector<std::string> warnings;
  for (const SequenceNeed& need : needs) {
    if (!need.is_forecast() || need.memory_bytes <= 0 || need.fits()) continue;
    warnings.push_back(fmt::format(
        "{} {}, which would take {} ({} to {}) of {}", in_words(need.meter), need.in_words(),
        format_bytes(std::llround(need.needed_bytes.mid)),
        format_bytes(std::llround(need.needed_bytes.low)),
        format_bytes(std::llround(need.needed_bytes.high)), format_bytes(need.memory_bytes)));
  }
  return warnings;
}

}  // namespace lapcast
