#include "lease/lease_text.h"

#include <fmt/format.h>

#include <chrono>

#include "core/units.h"
#include "lease/lease_cost.h"

namespace lapcast {
namespace {

constexpr int kLoudDeletes = 3;

Seconds between(UtcNs begin, UtcNs end) {
  return from_ns(end - begin);
}

std::string where_of(const Lease& lease) {
  const std::string& zone = lease.zone.empty() ? lease.order.zone : lease.zone;
  const std::string& where = zone.empty() ? lease.order.region : zone;
  return where.empty() ? "" : " in " + printable(where, 60);
}

std::string gone_line(const Lease& lease) {
  if (!lease.was_listed) return "nothing was rented, and nothing is to be paid";
  return fmt::format("given back after {}, {}", format_duration(between(lease.asked, *lease.gone)),
                     dollar_text(cost_so_far(lease, *lease.gone)));
}

}  // namespace

std::string utc_text_of(UtcNs time) {
  return utc_text(std::chrono::sys_seconds{std::chrono::seconds{time / 1'000'000'000}});
}

std::string by_hand(const Lease& lease, std::string command) {
  const auto replace = [&](const std::string& word, const std::string& value) {
    for (std::size_t at; (at = command.find(word)) != std::string::npos;)
      command.replace(at, word.size(), value);
  };
  if (lease.machine.find("MACHINE") != std::string::npos ||
      lease.zone.find("ZONE") != std::string::npos)
    return "";
  replace("MACHINE", printable(lease.machine));
  replace("ZONE", printable(lease.zone));
  return command;
}

std::vector<std::string> news_of(const Lease& before, const Lease& now,
                                 const std::string& command) {
  std::vector<std::string> lines;
  const std::string name = now.order.name.empty() ? now.id : printable(now.order.name, 60);
  const auto add = [&](const std::string& text) { lines.push_back(name + ": " + text); };
  const bool is_new_state = before.state != now.state;
  if (is_new_state && now.state == LeaseState::created && !now.reachable) {
    add(fmt::format("rented{} for {}/h{}, at most {}", where_of(now),
                    dollar_text(now.price.per_hour),
                    now.price_is_told ? "" : " (the provider tells no price)",
                    format_duration(now.order.term)));
  }
  if (!before.reachable && now.reachable) {
    add(fmt::format("booted in {}, {}", format_duration(between(now.asked, *now.reachable)),
                    dollar_text(cost_so_far(now, *now.reachable))));
    if (now.key_was_taken) add("its host key was taken at the first contact");
  }
  if (!before.preempted_at && now.preempted_at) add("the provider takes it back");
  if (is_new_state && now.state == LeaseState::ending) add(now.reason + "; giving it back");
  if (now.deletes == kLoudDeletes && before.deletes < kLoudDeletes) {
    const std::string fix = by_hand(now, command);
    add(fmt::format("the provider was asked {} times to delete {}, and still lists it; trying on{}",
                    now.deletes, printable(now.machine), fix.empty() ? "" : "; by hand: " + fix));
  }
  if (is_new_state && now.state == LeaseState::gone) add(gone_line(now));
  return lines;
}

}  // namespace lapcast
