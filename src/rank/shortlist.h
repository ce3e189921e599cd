#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "extrapolate/accelerator.h"
#include "extrapolate/machine_factors.h"
#include "price/offer.h"
#include "price/quote.h"
#include "rank/measuring_value.h"
#include "rank/preferences.h"
#include "rank/transferred_cases.h"

namespace lapcast {

/// Says how a time on a machine was found.
enum class TransferKind {
  measured,     // on this type of accelerator, at home or by a probe
  transferred,  // from the laps at home
  counted,      // from counted work, without any lap on an accelerator
  assumed,      // from a lap on CPUs on accelerators, or the other way: only their order is known
};
/// Returns "measured", "transferred", "counted" or "assumed".
std::string_view name_of(TransferKind kind);

/// Holds one offer with its forecast.
struct ShortlistRow {
  const Offer* offer = nullptr;
  MachineKind on;
  TransferKind kind = TransferKind::transferred;
  Interval<Seconds> time;  // of the training, without boot
  Quote quote;
  double chance = 0;       // of being the best of all rows
  std::size_t offers = 0;  // with the same accelerator, if it is the best of them; else 0
  std::string assumed = {};
  bool scaled = false;  // to another number of workers than was measured, besides `kind`

  /// Returns the name of the accelerator, with their number if all of several train, or how many
  /// CPUs the machine has: "8 x T4", "4 CPUs".
  std::string hardware() const;
  /// Returns name_of(kind), "scaled", or both: "transferred and scaled".
  std::string_view provenance() const;
};

/// Names a machine that is worth measuring, and what that is worth.
struct ShortlistProbe {
  const Offer* offer = nullptr;
  std::string hardware;     // as ShortlistRow::hardware()
  Money price;              // of the probe
  Money worth;              // 0 in a shortlist by time
  double regret_after = 0;  // expected, when this machine and those before it are measured
};

/// Counts offers without a row, and why they have none.
struct WithoutRow {
  std::string reason;
  std::size_t offers = 0;
  std::string example;  // the name of one of them
};

struct Shortlist {
  std::vector<ShortlistRow> rows;      // best first
  std::size_t all_rows = 0;            // also those beyond `rows`
  std::size_t offers_with_row = 0;     // that can be forecast and meet the limits
  std::vector<WithoutRow> without;     // most offers first
  double regret = 0;                   // expected, of the first row; 0.1 = 10 %
  Money expected_bill;                 // of the first row
  std::vector<ShortlistProbe> probes;  // worth more than they cost, in order
  Money worth;                         // of the probes together
  std::vector<std::string> warnings;   // when no ratio may hold
  std::size_t own_programs = 0;        // other programs of the user that moved the factors
  std::size_t own_machines = 0;        // that these ran on

  /// Returns what moved the table of factors; empty = nothing of the user's own.
  std::string own_note() const;
};

/// Says how much of a shortlist is wanted, and what is known of a search that goes on.
struct ShortlistSize {
  std::size_t rows = 10;
  bool each_offer = false;  // a row for each offer; else one for each accelerator, its best offer
  /// Holds how long a probe takes, with boot, sending and set-up, by the names of offers; others
  /// are rented for kProbeRental.
  std::map<std::string, Seconds> probe_times = {};
  /// Holds the CPUs of offers without an accelerator, by their names; others have those that the
  /// offer says, if the home has none either.
  std::map<std::string, CpuMachine> cpus = {};
  bool assume = false;  // rows on accelerators from a home without one and without counted work
};

/// Ranks offers by cost or time for a training that was measured on one machine. Returns the reason
/// when no lap was measured, or the home machine has no accelerator, its CPUs are not known, and no
/// work was counted.
Result<Shortlist> make_shortlist(const HomeMeasurement& home, std::span<const Offer* const> offers,
                                 const Preferences& preferences, const ShortlistSize& size,
                                 const AcceleratorTable& table, const MachineFactors& factors);

}  // namespace lapcast
