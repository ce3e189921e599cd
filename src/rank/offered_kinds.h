#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/accelerator.h"
#include "price/offer.h"
#include "rank/shortlist.h"
#include "rank/transferred_cases.h"

namespace lapcast {

/// Holds a type of machine: the offers that have it differ in price alone.
struct OfferedKind : MachineKind {
  std::vector<const Offer*> offers;
};

/// Holds the kinds of machines that are offered, and why other offers have no forecast, by reason.
struct OfferedKinds {
  std::vector<OfferedKind> kinds;
  std::map<std::string, WithoutRow> without;

  void leave_out(const Offer& offer, const std::string& reason);
};

/// Is why nothing on accelerators can be said from a home without one.
inline constexpr const char* kNoRatio =
    "no ratio holds from a machine without an accelerator: give the work of a lap (flops and "
    "activations) in --profile FILE, or laps of any GPU with --from RUN";

/// Returns whether anything is known of the program on accelerators.
bool says_accelerators(const HomeMeasurement& home);

/// Returns the kinds of the offers. An offer with several accelerators is one only if the program
/// trains on as many as it is told.
OfferedKinds kinds_of(const HomeMeasurement& home, std::span<const Offer* const> offers,
                      const AcceleratorTable& table, const ShortlistSize& size);

}  // namespace lapcast
