#include "commands/leases/end_leases.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "lease/adapter.h"
#include "lease/lease_clock.h"
#include "lease/lease_driver.h"
#include "lease/lease_text.h"

namespace lapcast {
namespace {

constexpr const char* kEndedByHand = "lapcast leases --end";

std::string by_hand_text(const std::string& adapter) {
  const auto file = find_adapter(adapter);
  if (!file) return "";
  const auto described = ask_adapter(*file, "describe", "{}").and_then(parse_description);
  return described ? described->by_hand : "";
}

/// Lets the living lapcast that holds a lease end it: it reads the ledger every second.
void end_in_ledger(Ledger& ledger, const std::string& id) {
  ledger.update(id, [](Lease& lease) {
    if (is_used(lease)) lease = next_step(lease, EndFact{kEndedByHand}, lease_now_ns()).lease;
  });
}

}  // namespace

std::vector<Stray> find_strays(const Ledger& ledger, std::vector<std::string>& problems) {
  std::vector<Stray> strays;
  for (const std::string& adapter : adapter_names()) {
    const auto file = find_adapter(adapter);
    const auto answer = ask_adapter(*file, "list", "{}");
    auto list = answer ? parse_machine_list(*answer) : tl::unexpected(answer.error());
    if (!list) {
      problems.push_back(
          fmt::format("{} does not list its machines: {}", adapter, list.error().text));
      continue;
    }
    if (!list->complete)
      problems.push_back(fmt::format("{} has not listed all its regions", adapter));
    for (ProviderEntry& entry : list->machines)
      if (entry.costs && !ledger.find(entry.lease)) strays.push_back({adapter, std::move(entry)});
  }
  return strays;
}

std::vector<std::string> adopt_strays(Ledger& ledger, const std::vector<Stray>& strays) {
  std::vector<std::string> ids;
  for (const Stray& stray : strays) {
    const UtcNs now = lease_now_ns();
    Lease lease{.id = stray.entry.lease,
                .state = LeaseState::ending,
                .asked = stray.entry.created.value_or(now),
                .deadline = now,
                .creates = 1,
                .creates_answered = 1,
                .ending = now,
                .was_listed = true,
                .machine = stray.entry.machine,
                .region = stray.entry.region,
                .zone = stray.entry.zone,
                .price = stray.entry.price.value_or(HourlyPrice{}),
                .reason = "a stray",
                .scope = "strays"};
    lease.order.adapter = stray.adapter;
    if (std::ranges::find(ids, lease.id) != ids.end()) continue;  // a disk of the same lease
    ledger.add(lease, {.scope = "", .most = Money::from_nanos(INT64_MAX)});
    ids.push_back(lease.id);
  }
  return ids;
}

bool end_leases(Ledger& ledger, const std::vector<std::string>& ids, const Interrupt& interrupt,
                const std::function<void(const std::string&)>& tell) {
  LeaseDriver driver(ledger, [&](const Lease& before, const Lease& now) {
    const bool is_loud = now.deletes > before.deletes;
    for (const std::string& line :
         news_of(before, now, is_loud ? by_hand_text(now.order.adapter) : ""))
      tell(line);
  });
  const auto is_gone = [&](const std::string& id) {
    const auto lease = ledger.find(id);
    return !lease || !is_open(*lease);
  };
  const auto try_to_own = [&](const std::string& id) {
    FileLock lock = ledger.hold(id);
    const auto lease = ledger.find(id);
    if (!lock.is_held() || !lease || !is_open(*lease)) return;
    driver.drive(std::move(lock), *lease);
    driver.take(id, EndFact{kEndedByHand});
  };
  for (const std::string& id : ids) end_in_ledger(ledger, id);
  while (interrupt.count() == 0) {
    bool all_gone = true;
    for (const std::string& id : ids) {
      if (is_gone(id)) continue;
      all_gone = false;
      const Lease* const driven = driver.find(id);
      // Its holder may have died meanwhile.
      if (driven == nullptr || !is_open(*driven)) try_to_own(id);
    }
    if (all_gone) return true;
    driver.step(std::chrono::milliseconds{500});
  }
  return false;
}

}  // namespace lapcast
