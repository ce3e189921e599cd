#include "spot/availability_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

constexpr Seconds kLongestTrace{100 * 365.25 * 86400};

struct Stretch {
  std::int64_t begin_utc_ns = 0;
  Seconds length{0};
  int machines = 0;
};

std::vector<Stretch> stretches_of(const SoakedMachine& machine) {
  std::vector<Stretch> result;
  for (const Session& session : machine.sessions)
    result.push_back({session.begin_utc_ns, session.length, 1});
  for (const Wait& wait : machine.waits) result.push_back({wait.begin_utc_ns, wait.length, 0});
  std::stable_sort(result.begin(), result.end(), [](const Stretch& a, const Stretch& b) {
    return a.begin_utc_ns < b.begin_utc_ns;
  });
  return result;
}

}  // namespace

void AvailabilityTrace::extend(Seconds end, std::optional<int> machines) {
  const Seconds begin = length();
  if (end <= begin) return;
  if (!spans.empty() && spans.back().machines == machines)
    spans.back().end = end;
  else
    spans.push_back({begin, end, machines});
}

ReadTrace trace_of(const SoakedMachine& machine) {
  constexpr Seconds kClockStep{1};  // the two clocks of a heartbeat differ by less
  ReadTrace result;
  int overlaps = 0;
  const std::vector<Stretch> stretches = stretches_of(machine);
  for (const Stretch& stretch : stretches) {
    // As doubles: the difference of two foreign clocks may overflow.
    const Seconds begin{(static_cast<double>(stretch.begin_utc_ns) -
                         static_cast<double>(stretches.front().begin_utc_ns)) *
                        1e-9};
    if (begin + stretch.length - result.trace.length() > kLongestTrace) {
      result.problems.push_back({fmt::format(
          "machine {}: a gap of more than 100 years; the trace ends before it", machine.machine)});
      break;
    }
    if (begin > result.trace.length() + kClockStep) result.trace.extend(begin, std::nullopt);
    if (begin + kClockStep < result.trace.length()) ++overlaps;
    result.trace.extend(begin + stretch.length, stretch.machines);
  }
  if (overlaps > 0)
    result.problems.push_back(
        {fmt::format("machine {}: {} sessions or waits overlap an earlier one; they were cut",
                     machine.machine, overlaps)});
  return result;
}

std::vector<PresenceSpan> presence_of(const AvailabilityTrace& trace, int machines) {
  std::vector<PresenceSpan> result;
  for (const TraceSpan& span : trace.spans) {
    const Presence presence = !span.machines               ? Presence::unknown
                              : *span.machines >= machines ? Presence::there
                                                           : Presence::absent;
    if (!result.empty() && result.back().presence == presence)
      result.back().end = span.end;
    else
      result.push_back({span.begin, span.end, presence});
  }
  return result;
}

std::vector<PresenceSpan> part_of(std::span<const PresenceSpan> spans, Seconds begin, Seconds end) {
  std::vector<PresenceSpan> result;
  for (PresenceSpan span : spans) {
    span.begin = std::max(span.begin, begin);
    span.end = std::min(span.end, end);
    if (span.begin < span.end) result.push_back(span);
  }
  return result;
}

std::vector<Lifetime> lifetimes_of(std::span<const PresenceSpan> spans, Presence presence) {
  std::vector<Lifetime> result;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].presence != presence) continue;
    const bool ended = i + 1 < spans.size() && spans[i + 1].presence != Presence::unknown;
    result.push_back({spans[i].length().count(), ended});
  }
  return result;
}

}  // namespace lapcast
