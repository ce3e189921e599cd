#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "spot/sessions.h"
#include "stats/survival.h"

namespace lapcast {

/// Describes a period in which the number of available machines did not change.
struct TraceSpan {
  Seconds begin{0};  // since the start of the trace
  Seconds end{0};
  std::optional<int> machines;  // nothing = not recorded
  friend bool operator==(const TraceSpan&, const TraceSpan&) = default;
};

/// Says how many machines of one kind were available over time. The spans begin at 0, each begins
/// where the one before ends, and neighbours differ.
struct AvailabilityTrace {
  std::vector<TraceSpan> spans;
  Seconds length() const { return spans.empty() ? Seconds{0} : spans.back().end; }
  /// Adds the number of machines from the present end to `end`; an end that is not later changes
  /// nothing.
  void extend(Seconds end, std::optional<int> machines);
  friend bool operator==(const AvailabilityTrace&, const AvailabilityTrace&) = default;
};

/// Holds a trace and the problems in its text. What is wrong is left out of the trace: a gap
/// becomes a span that is not recorded.
struct ReadTrace {
  AvailabilityTrace trace;
  std::vector<Reason> problems;  // one per kind, with its count and the first place
};

/// Reads a trace in the format of skypilot-org/spot-traces: JSON
/// {"metadata": {"gap_seconds": 195}, "data": [1, 1, 0, ...]}, the number of machines at each tick.
/// A tick that is not a whole number from 0 to a million is a gap. Returns the reason when the text
/// is not such JSON, when the gap is not between 1 ms and a day, or when there are no ticks.
Result<ReadTrace> parse_tick_trace(std::string_view text);

/// Reads a table of events, "480000,add,node1" and "540000,remove,node1": the time in milliseconds,
/// or as "2026-11-20T12:00:00Z". The trace begins at the first event. Rows that cannot be used are
/// problems: other time zones or none, times of both kinds, machines that are added twice or
/// removed before they were added, times before 1970 or after `today` (in UTC) of either kind; rows
/// out of order are sorted. Returns the reason when no row can be used.
Result<ReadTrace> parse_event_trace(std::string_view text, Date today);

/// Reads either format: a text whose first character that is not a space is '{' is a tick trace.
Result<ReadTrace> parse_availability_trace(std::string_view text, Date today);

/// Returns the trace of a machine that `lapcast soak` held: one machine during its sessions, none
/// while it waited for the next one, not recorded otherwise. Sessions or waits that overlap an
/// earlier one are cut and reported as problems. So is a gap of 100 years or more: the clock was
/// wrong, and the trace ends before it.
ReadTrace trace_of(const SoakedMachine& machine);

/// Says whether a job's machines are available.
enum class Presence { there, absent, unknown };

/// Describes a period in which the presence of a job's machines does not change.
struct PresenceSpan {
  Seconds begin{0};
  Seconds end{0};
  Presence presence = Presence::unknown;
  Seconds length() const { return end - begin; }
  friend bool operator==(const PresenceSpan&, const PresenceSpan&) = default;
};

/// Returns when at least `machines` (>= 1) machines are available at once. Neighbours differ.
std::vector<PresenceSpan> presence_of(const AvailabilityTrace& trace, int machines = 1);

/// Returns the part of the spans from `begin` to `end`, on the same clock.
std::vector<PresenceSpan> part_of(std::span<const PresenceSpan> spans, Seconds begin, Seconds end);

/// Returns how long the spans of that kind lasted, in seconds. A span whose end was not recorded is
/// censored. One that began before the record counts with its recorded time.
std::vector<Lifetime> lifetimes_of(std::span<const PresenceSpan> spans, Presence presence);

}  // namespace lapcast
