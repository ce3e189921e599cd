#include "lease/keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lease/lease_clock.h"
#include "lease/lease_driver.h"
#include "posix/spawn.h"

namespace lapcast {
namespace {

constexpr Seconds kGrace{60};  // in which the same command takes over what a killed lapcast left
constexpr std::chrono::milliseconds kKeeperTick{1000};

std::filesystem::path keeper_lock() {
  return state_folder() / "keeper.lock";
}

/// Returns why a lease that nobody holds ends now; empty = it does not yet.
std::string why_to_end(const Lease& lease, UtcNs now) {
  if (lease.state == LeaseState::asked) return "its lapcast was killed";
  const bool is_over = now >= lease.deadline - to_ns(give_back_margin(lease.order.term));
  if (is_over) return "its deadline came";
  if (lease.keep_until == 0 || now < lease.keep_until) return "";
  return lease.is_kept ? "nobody used it again" : "its lapcast was killed";
}

/// Owns and ends a lease that nobody holds, when its time has come.
void look_after(Ledger& ledger, LeaseDriver& driver, const Lease& lease) {
  const UtcNs now = lease_now_ns();
  const bool ends = lease.state == LeaseState::ending;
  const std::string reason = ends ? lease.reason : why_to_end(lease, now);
  if (!ends && reason.empty()) {
    if (lease.keep_until == 0 && !ledger.is_held(lease.id)) {
      ledger.update(lease.id, [&](Lease& each) {
        if (each.keep_until == 0) each.keep_until = std::min(each.deadline, now + to_ns(kGrace));
      });
    }
    return;
  }
  FileLock lock = ledger.hold(lease.id);
  if (!lock.is_held()) return;
  const auto newest = ledger.find(lease.id);
  if (!newest || !is_open(*newest)) return;
  if (is_used(*newest) && why_to_end(*newest, lease_now_ns()).empty()) return;  // was taken over
  driver.drive(std::move(lock), *newest);
  driver.take(lease.id, EndFact{reason});
}

/// Keeps leases until none is open.
void keep_open_leases(Ledger& ledger) {
  LeaseDriver driver(ledger, {});
  std::error_code ignored;
  // A ledger that was removed, as with the user's account, has no leases any more.
  while (std::filesystem::exists(ledger.folder() / "leases.db", ignored)) {
    const std::vector<Lease> open = ledger.open_leases();
    if (open.empty()) return;
    for (const Lease& lease : open) {
      const Lease* const driven = driver.find(lease.id);
      if (driven == nullptr || !is_open(*driven)) look_after(ledger, driver, lease);
    }
    driver.step(kKeeperTick);
  }
}

}  // namespace

void start_keeper() {
  const std::filesystem::path binary = own_binary();
  // Other programs, such as tests, have parts of lapcast, too.
  if (!binary.filename().native().starts_with("lapcast")) return;
  if (!FileLock(keeper_lock()).is_held()) return;
  const SpawnSpec keeper{.arguments = {"lapcast", "keeper"},
                         .file = binary,
                         .working_dir = "/",
                         .streams = {kNullStream, kNullStream, kNullStream},
                         .group = ProcessGroup::own_session};
  // The process between ends at once, so that the keeper is not a child of this one.
  const auto between = spawn({.arguments = {}, .work = [&] { return spawn(keeper) ? 0 : 1; }});
  if (between) wait_for(*between);
}

void keep_leases() {
  Ledger ledger = Ledger::open();
  // A lease that is added while the keeper ends finds it running, so it looks once more.
  while (!ledger.open_leases().empty()) {
    const FileLock lock(keeper_lock());
    if (!lock.is_held()) return;
    keep_open_leases(ledger);
  }
}

std::vector<Lease> unheld_leases(const Ledger& ledger) {
  const UtcNs now = lease_now_ns();
  std::vector<Lease> unheld;
  for (Lease& lease : ledger.open_leases()) {
    const bool is_kept = lease.is_kept && is_used(lease) && now < lease.keep_until;
    if (!is_kept && !ledger.is_held(lease.id)) unheld.push_back(std::move(lease));
  }
  return unheld;
}

std::string warning_of_unheld_leases() {
  try {
    const auto ledger = Ledger::open_existing();
    if (!ledger) return "";
    const std::vector<Lease> unheld = unheld_leases(*ledger);
    if (unheld.empty()) return "";
    start_keeper();
    Money per_hour;
    for (const Lease& lease : unheld) per_hour = saturating_sum(per_hour, lease.price.per_hour);
    return fmt::format(
        "warning: {} of a lapcast that was killed {} {}/h: lapcast leases",
        unheld.size() == 1 ? "a rented machine" : fmt::format("{} rented machines", unheld.size()),
        unheld.size() == 1 ? "costs" : "cost", dollar_text(per_hour));
  } catch (const Error& error) {
    return fmt::format("warning: {}", error.what());
  }
}

}  // namespace lapcast
