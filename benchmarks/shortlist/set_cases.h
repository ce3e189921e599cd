#pragma once

#include <string>
#include <vector>

#include "extrapolate/transfer.h"
#include "shortlist/factor_fit.h"
#include "shortlist/judged.h"
#include "shortlist/public_sets.h"

namespace lapcast::shortlist {

/// Holds all public sets that the benchmarks of `shortlist` read.
struct PublicSets {
  std::vector<std::vector<SetRow>> rows;  // a set each
  std::vector<SetRow> lambda;             // also in rows

  explicit PublicSets(const std::string& folder);
  /// Returns the device-bound programs of all sets but the one named, as its class is called.
  std::vector<ProgramRow> without(const std::string& set) const;
};

/// Says how a forecast on other machines is made.
struct ForecastWay {
  double inflation = kFactorInflation;
  double host_share = 0;  // of the mixture; 0 = the device decides
};

/// Returns the forecasts of a program on each of its items from each home, after `probes` more
/// random items are known. `factors` has all of the program's items.
void judge_program(const MachineFactors& factors, const ProgramRow& program, std::size_t probes,
                   const ForecastWay& way, std::vector<Judged>& judged);

/// Returns the items of programs, each once.
std::vector<MachineItem> items_of(const std::vector<ProgramRow>& programs);

/// Returns the coarse family of an accelerator, as a family is left out: "A100" has the A30, too.
std::string family_of(const MachineItem& item);

/// Returns forecasts of Lambda's first version on the machines of a family that no set had, from
/// the program's times on all other families.
std::vector<Judged> judge_families(const PublicSets& sets, const FitConstants& constants);

/// Returns forecasts of Lambda's times on several accelerators, from one lap on one accelerator:
/// the same, or another. `factors` has all of the items.
std::vector<Judged> judge_several(const PublicSets& sets, const MachineFactors& factors,
                                  const std::string& folder, bool of_same);

/// Returns forecasts of Sia's laps on other machines from laps at two batches at home, the factors
/// being those of other sets.
std::vector<Judged> judge_two_batches(const PublicSets& sets, const FitConstants& constants);

/// Holds a forecast of a row of NeuSight's own set beside NeuSight's.
struct BesideNeusight {
  Judged ours;
  double theirs = 0;  // absolute error in percent
};
/// `noise` is that of the ratio of two machines between two runs of one network.
std::vector<BesideNeusight> judge_neusight(const std::string& folder, const PublicSets& sets,
                                           double noise);

}  // namespace lapcast::shortlist
