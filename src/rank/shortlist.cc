#include "rank/shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/units.h"
#include "rank/offered_kinds.h"
#include "rank/probe_value.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostProbes = 3;
constexpr double kLeastTimeSaved = 0.01;  // of a probe in a shortlist by time, as a share

Interval<Seconds> time_of(const HomeMeasurement& home, std::vector<double> ratios) {
  std::ranges::sort(ratios);
  const auto at = [&](double p) {
    return ratios[static_cast<std::size_t>(p * static_cast<double>(ratios.size() - 1) + 0.5)];
  };
  const Interval<Seconds>& laps = home.laps_of_training;
  // The errors of the home forecast and of the ratio are independent.
  const double mid = at(0.5);
  const auto bound = [&](double ratio, Seconds home_bound) {
    const double off = std::hypot(ratio - mid, std::log(home_bound / laps.mid));
    return home.fixed + laps.mid * std::exp(mid + (home_bound < laps.mid ? -off : off));
  };
  const Seconds none = laps.mid * (1 - 1e-12), more = laps.mid * (1 + 1e-12);
  return {bound(at(0.025), std::min(laps.low, none)), home.fixed + laps.mid * std::exp(mid),
          bound(at(0.975), std::max(laps.high, more))};
}

/// Returns what is not known of CPUs, and was assumed.
std::string said_of_cpus(const CpuMachine& cpu) {
  std::vector<std::string> unknown;
  if (!(cpu.threads > 0)) unknown.emplace_back("CPUs");
  if (!(cpu.clock_ghz > 0)) unknown.emplace_back("clock");
  if (cpu.isa.empty()) unknown.emplace_back("vector extension");
  return unknown.empty() ? "" : fmt::format("usual {}", fmt::join(unknown, ", "));
}

std::string assumption_of(const OfferedKind& kind, const HomeMeasurement& home,
                          const MachineFactors& factors, const Offer& offer,
                          const AcceleratorTable& table) {
  if (kind.cpu) return said_of_cpus(*kind.cpu);
  std::vector<std::string> said;
  if (!factors.place_of(item_of(*kind.accelerator, home.precision)))
    said.emplace_back("by its specification");
  if (kind.share < 1) said.push_back(fmt::format("{} of a card", format_share(kind.share)));
  if (const auto match = table.find(offer); match && !match->doubt.empty())
    said.push_back(match->doubt);
  if (!offer.accelerator_memory_bytes)
    said.push_back(fmt::format("{:g} GiB by its name", kind.accelerator->memory_gib * kind.share));
  return fmt::format("{}", fmt::join(said, "; "));
}

/// Ranks kinds by their cheapest offers, and says which are worth a probe.
class Ranker {
 public:
  Ranker(const HomeMeasurement& home, const Preferences& preferences, const OfferedKinds& found,
         const TransferredCases& cases, const ShortlistSize& size)
      : home_(home), preferences_(preferences), kinds_(found.kinds), cases_(cases), size_(size) {
    const std::size_t n = kinds_.size();
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> ratios;
      for (std::size_t s = 0; s < kTransferCases; ++s) ratios.push_back(cases.log_ratio[s * n + i]);
      measured_.push_back(measured_on(kinds_[i], home));
      const bool has_own = measured_.back() && measured_.back()->training;
      times_.push_back(has_own ? *measured_.back()->training : time_of(home, std::move(ratios)));
    }
  }

  Shortlist shortlist(const AcceleratorTable& table, const MachineFactors& factors,
                      OfferedKinds& found) {
    Shortlist list{.warnings = cases_.warnings,
                   .own_programs = cases_.own_programs,
                   .own_machines = cases_.own_machines};
    std::vector<ShortlistRow> rows = priced(found);
    list.offers_with_row = rows.size();
    for (auto& [reason, row] : found.without) list.without.push_back(row);
    std::ranges::stable_sort(list.without, std::greater{}, &WithoutRow::offers);
    if (rows.empty()) return list;
    std::ranges::sort(rows, [&](const ShortlistRow& a, const ShortlistRow& b) {
      return std::tuple(value_of(a), b.chance, std::string_view(a.offer->name)) <
             std::tuple(value_of(b), a.chance, std::string_view(b.offer->name));
    });
    judge(rows, list);
    if (!size_.each_offer)
      std::erase_if(rows, [](const ShortlistRow& row) { return row.offers == 0; });
    list.all_rows = rows.size();
    rows.resize(std::min(rows.size(), size_.rows));
    for (ShortlistRow& row : rows)
      row.assumed = assumption_of(kinds_[kind_of(row)], home_, factors, *row.offer, table);
    list.rows = std::move(rows);
    return list;
  }

 private:
  double value_of(const ShortlistRow& row) const {
    return preferences_.by == Objective::time ? row.time.mid.count()
                                              : row.quote.total.mid.dollars();
  }

  std::size_t kind_of(const ShortlistRow& row) const {
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (static_cast<const MachineKind&>(kinds_[i]) == row.on) return i;
    return 0;
  }

  /// Says where the time on a kind comes from.
  TransferKind source_of(std::size_t kind) const {
    MachineKind as_home = kinds_[kind];
    as_home.workers = home_.workers();
    if (measured_[kind] || measured_on(as_home, home_)) return TransferKind::measured;
    const bool is_like_home = kinds_[kind].cpu.has_value() == (home_.accelerator == nullptr);
    const bool is_like_probe = std::ranges::any_of(home_.probes, [&](const ProbeLap& probe) {
      return probe.cpu.has_value() == kinds_[kind].cpu.has_value();
    });
    if (is_like_home || is_like_probe) return TransferKind::transferred;
    return home_.flops && home_.activations && !kinds_[kind].cpu ? TransferKind::counted
                                                                 : TransferKind::assumed;
  }

  /// Returns a row for each offer that meets the limits; the others get their reasons.
  std::vector<ShortlistRow> priced(OfferedKinds& found) const {
    std::vector<ShortlistRow> rows;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const TransferKind source = source_of(i);
      const bool is_scaled = !measured_[i] && kinds_[i].workers != home_.workers();
      for (const Offer* offer : kinds_[i].offers) {
        const auto bill = quote(*offer, times_[i]);
        if (!bill) {
          found.leave_out(*offer, bill.error().text);
        } else if (preferences_.deadline && times_[i].mid > *preferences_.deadline) {
          found.leave_out(*offer, "takes longer than the deadline");
        } else if (preferences_.max_cost && bill->total.mid > *preferences_.max_cost) {
          found.leave_out(*offer, "costs more than the limit");
        } else {
          rows.push_back({offer, kinds_[i], source, times_[i], *bill});
          rows.back().scaled = is_scaled;
        }
      }
    }
    return rows;
  }

  /// Fills in the chances, the expected regret and the probes, from the best row of each kind.
  void judge(std::vector<ShortlistRow>& rows, Shortlist& list) const {
    std::vector<std::size_t> best;   // row of each kind that has one
    std::vector<std::size_t> kinds;  // the kind of each of them
    std::vector<char> has(kinds_.size(), 0);
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const std::size_t k = kind_of(rows[r]); has[k] == 0) {
        has[k] = 1;
        rows[r].offers = 1;
        best.push_back(r);
        kinds.push_back(k);
      } else {
        ++rows[best[std::size_t(std::ranges::find(kinds, k) - kinds.begin())]].offers;
      }
    ValueCases cases{best.size(), {}};
    for (std::size_t s = 0; s < kTransferCases; ++s)
      for (std::size_t i = 0; i < best.size(); ++i) {
        const double ratio = cases_.log_ratio[s * kinds_.size() + kinds[i]];
        const Seconds time = home_.fixed + home_.laps_of_training.mid * std::exp(ratio);
        const double price = rows[best[i]].offer->price.per_hour.dollars();
        cases.log_values.push_back(
            std::log(time.count()) +
            (preferences_.by == Objective::time ? 0 : std::log(std::max(price, 1e-9))));
      }
    const std::vector<double> chances = chances_to_win(cases);
    for (std::size_t i = 0; i < best.size(); ++i) rows[best[i]].chance = chances[i];
    list.regret = mean_regret(cases, 0);
    list.expected_bill = rows.front().quote.total.mid;
    propose(rows, best, cases, list);
  }

  /// Adds the probes as long as each is worth more than its price.
  void propose(const std::vector<ShortlistRow>& rows, const std::vector<std::size_t>& best,
               const ValueCases& cases, Shortlist& list) const {
    const auto may = std::make_unique<bool[]>(best.size());
    for (std::size_t i = 0; i < best.size(); ++i) may[i] = !measured_[kind_of(rows[best[i]])];
    std::vector<std::size_t> chosen;
    double before = mean_regret(cases, best_pick(cases));
    while (chosen.size() < kMostProbes) {
      const bool is_first = chosen.empty() && home_.probes.empty();
      const auto next = next_probe(cases, {may.get(), best.size()}, is_first, kLapNoise);
      if (!next) return;
      may[*next] = false;
      chosen.push_back(*next);
      const Offer& offer = *rows[best[*next]].offer;
      const auto rental = quote(offer, Interval<Seconds>::exactly(probe_time_on(offer)));
      if (!rental) return;
      const double after = regret_after(cases, chosen, kLapNoise);
      const double less = std::max(0.0, before - after);
      const bool by_time = preferences_.by == Objective::time;
      const Money worth = by_time ? Money() : scaled(list.expected_bill, less);
      if (by_time ? less < kLeastTimeSaved : worth <= rental->total.mid) return;
      list.probes.push_back(
          {&offer, rows[best[*next]].hardware(), rental->total.mid, worth, after});
      list.worth += worth;
      before = after;
    }
  }

  Seconds probe_time_on(const Offer& offer) const {
    const auto known = size_.probe_times.find(offer.name);
    return known == size_.probe_times.end() ? kProbeRental : known->second;
  }

  const HomeMeasurement& home_;
  const Preferences& preferences_;
  const std::vector<OfferedKind>& kinds_;
  const TransferredCases& cases_;
  const ShortlistSize& size_;
  std::vector<std::optional<MeasuredKind>> measured_;  // by kind
  std::vector<Interval<Seconds>> times_;               // by kind
};

}  // namespace

std::string_view name_of(TransferKind kind) {
  switch (kind) {
    case TransferKind::measured:
      return "measured";
    case TransferKind::transferred:
      return "transferred";
    case TransferKind::counted:
      return "counted";
    case TransferKind::assumed:
      return "assumed";
  }
  return "";
}

std::string ShortlistRow::hardware() const {
  if (!on.cpu && on.workers > 1) return fmt::format("{} x {}", on.workers, on.accelerator->name);
  if (!on.cpu) return on.accelerator->name;
  if (!(on.cpu->threads > 0)) return "CPUs";
  const double cpus = std::min(on.cpu->threads, on.cpu->quota.value_or(on.cpu->threads));
  return fmt::format("{:g} CPU{}", cpus, cpus == 1 ? "" : "s");
}

std::string Shortlist::own_note() const {
  if (own_programs == 0) return "";
  return fmt::format("{} on {} machines moved the table (class mine)",
                     counted(own_programs, "own program"), own_machines);
}

std::string_view ShortlistRow::provenance() const {
  if (!scaled) return name_of(kind);
  switch (kind) {
    case TransferKind::measured:
      return "scaled";
    case TransferKind::transferred:
      return "transferred and scaled";
    case TransferKind::counted:
      return "counted and scaled";
    case TransferKind::assumed:
      return "assumed and scaled";
  }
  return "";
}

Result<Shortlist> make_shortlist(const HomeMeasurement& home, std::span<const Offer* const> offers,
                                 const Preferences& preferences, const ShortlistSize& size,
                                 const AcceleratorTable& table, const MachineFactors& factors) {
  if (home.laps.empty()) return because("no lap was measured");
  if (!says_accelerators(home) && !home.cpu && !size.assume) return because(kNoRatio);
  OfferedKinds found = kinds_of(home, offers, table, size);
  if (found.kinds.empty()) {
    Shortlist list;
    for (auto& [reason, row] : found.without) list.without.push_back(row);
    return list;
  }
  const std::vector<MachineKind> kinds(found.kinds.begin(), found.kinds.end());
  const TransferredCases cases = transferred_cases(kinds, home, table, factors);
  OfferedKinds reasons{{}, std::move(found.without)};
  return Ranker(home, preferences, found, cases, size).shortlist(table, factors, reasons);
}

}  // namespace lapcast
