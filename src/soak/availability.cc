#include "soak/availability.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lapcast {
namespace {

constexpr double kHour = 3600;
constexpr double kDay = 24 * kHour;

/// Divides a time among the hours of the day in which it lies.
void add_to_hours(std::array<Seconds, 24>& hours, std::int64_t begin_utc_ns, Seconds length) {
  const double days = std::floor(length.count() / kDay);
  for (Seconds& hour : hours) hour += Seconds{days * kHour};
  double left = length.count() - days * kDay;
  double at = from_ns(begin_utc_ns % static_cast<std::int64_t>(kDay * 1e9)).count();
  while (left > 0) {
    const auto hour = static_cast<std::size_t>(at / kHour) % 24;
    const double until_next = kHour - std::fmod(at, kHour);
    const double part = std::min(left, until_next);
    hours[hour] += Seconds{part};
    at = (std::floor(at / kHour) + 1) * kHour;
    left -= part;
  }
}

}  // namespace

std::optional<double> Availability::share() const {
  if (wanted.count() <= 0) return std::nullopt;
  return held / wanted;
}

Availability availability_of(const SoakedMachine& machine) {
  Availability result;
  std::vector<Lifetime> sessions, waits;
  for (const Session& session : machine.sessions) {
    const bool cut = session.fate == SessionFate::cut;
    sessions.push_back({session.length.count(), cut});
    result.cuts += cut ? 1 : 0;
    result.held += session.length;
    add_to_hours(result.held_at, session.begin_utc_ns, session.length);
  }
  result.wanted = result.held;
  result.wanted_at = result.held_at;
  for (const Wait& wait : machine.waits) {
    waits.push_back({wait.length.count(), wait.ended});
    result.wanted += wait.length;
    add_to_hours(result.wanted_at, wait.begin_utc_ns, wait.length);
  }
  result.lasting = survival(sessions);
  result.median_session_s = median_lifetime(result.lasting);
  result.waiting = survival(waits);
  result.median_wait_s = median_lifetime(result.waiting);
  return result;
}

}  // namespace lapcast
