#include "lease/lease_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "price/quote.h"

namespace lapcast {
namespace {

constexpr double kBytesOfGb = 1e9;

Money cost_until(const Lease& lease, HourlyPrice price, UtcNs end) {
  return cost_of(price, billed_time(lease.order.billing, std::max<UtcNs>(0, end - lease.asked)));
}

/// Returns whether create() was refused in clear words and no list has shown a machine since.
bool was_refused(const Lease& lease) {
  return lease.refusal && *lease.refusal != RentRefusal::unclear && !lease.was_listed;
}

/// Returns whether a lease was closed so lately, because two lists lacked its machine, that the
/// lists may still turn out to be wrong.
bool is_doubtful(const Lease& lease, UtcNs now) {
  constexpr double kSettlesInDoubt = 5;
  return lease.gone && lease.absent && now < *lease.gone + to_ns(kSettlesInDoubt * lease.settle);
}

std::chrono::year_month month_of(UtcNs time) {
  const std::chrono::sys_time<std::chrono::nanoseconds> moment{std::chrono::nanoseconds{time}};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(moment)};
  return day.year() / day.month();
}

}  // namespace

std::string gigabyte_text(std::int64_t bytes) {
  return fmt::format("{:.3g} GB", static_cast<double>(bytes) / kBytesOfGb);
}

Money egress_cost(const LeaseOrder& order, std::int64_t bytes) {
  return order.egress ? scaled(*order.egress, static_cast<double>(bytes) / kBytesOfGb) : Money();
}

Money cost_so_far(const Lease& lease, UtcNs now) {
  if (lease.creates == 0 || was_refused(lease)) return {};
  if (!is_open(lease) && !lease.was_listed) return {};
  return saturating_sum(cost_until(lease, lease.price, lease.gone.value_or(now)),
                        egress_cost(lease.order, lease.fetched));
}

Money worst_cost(const Lease& lease, UtcNs now) {
  if (!is_open(lease) && !is_doubtful(lease, now)) return cost_so_far(lease, now);
  const HourlyPrice price =
      lease.price_is_told ? lease.price : std::max(lease.price, lease.order.most);
  if (was_refused(lease)) {
    // A machine that exists all the same is found by the first list that shows it, and deleted.
    const Seconds found = 2 * lease.settle;
    return cost_until(lease, price, std::min(lease.deadline, lease.asked + to_ns(found)));
  }
  return saturating_sum(
      cost_until(lease, price, std::max(lease.deadline, lease.gone.value_or(now))),
      egress_cost(lease.order, std::max(lease.order.may_fetch, lease.fetched)));
}

Money worst_cost(const LeaseOrder& order) {
  return saturating_sum(cost_of(order.most, billed_time(order.billing, to_ns(order.term))),
                        egress_cost(order, order.may_fetch));
}

std::optional<std::string> why_too_dear(const std::vector<Lease>& leases, const LeaseOrder& order,
                                        const RentLimits& limits, UtcNs now) {
  Money of_scope, of_month;
  for (const Lease& lease : leases) {
    const Money cost = worst_cost(lease, now);
    if (lease.scope == limits.scope) of_scope = saturating_sum(of_scope, cost);
    if (is_open(lease) || month_of(lease.asked) == month_of(now))
      of_month = saturating_sum(of_month, cost);
  }
  const Money next = worst_cost(order);
  const auto refusal = [&](Money promised, Money most, const char* of) {
    const std::string egress = order.egress
                                   ? fmt::format(", {} of it for {} that are fetched",
                                                 dollar_text(egress_cost(order, order.may_fetch)),
                                                 gigabyte_text(order.may_fetch))
                                   : "";
    return fmt::format(
        "it may cost {} until its deadline{}, and {} of {} of {} are spent or promised",
        dollar_text(next), egress, dollar_text(promised), of, dollar_text(most));
  };
  if (saturating_sum(of_scope, next) > limits.most)
    return refusal(of_scope, limits.most, "the search budget");
  if (limits.most_a_month && saturating_sum(of_month, next) > *limits.most_a_month)
    return refusal(of_month, *limits.most_a_month, "this month's limit");
  return std::nullopt;
}

}  // namespace lapcast
