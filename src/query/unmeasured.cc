#include "query/unmeasured.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "query/home_measurement.h"
#include "query/worker_forecast.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostReasons = 3;

/// Returns the epochs of a row: those of the first run, or what its batch on other workers needs.
double epochs_of(const ShortlistRow& row, const HomeMeasurement& home, double of_first) {
  if (!row.scaled || home.needs.empty()) return of_first;
  const auto scaled = scale_training(home.on_workers, std::array{row.on.workers}, 0, home.needs);
  return scaled && scaled->rows.front().epochs ? std::round(scaled->rows.front().epochs->mid)
                                               : of_first;
}

Candidate candidate_on(const ShortlistRow& row, const HomeMeasurement& home,
                       const Candidate& like) {
  Candidate candidate;
  candidate.machine_type = row.offer->machine_type;
  candidate.offer = row.offer->name;
  candidate.settings = like.settings;
  candidate.conditions = like.conditions;
  candidate.epochs = epochs_of(row, home, like.epochs);
  candidate.time = row.time;
  candidate.where = row.hardware();
  candidate.provenance = row.provenance();
  return candidate;
}

/// Returns the candidate of the first run that has a forecast; there is one.
Candidate first_candidate(std::span<const Run> runs, const RunAssessor& judge) {
  for (const Run& run : runs)
    if (const Assessment assessment = judge(run); assessment.forecast)
      return candidate_of(run, assessment);
  return {};
}

std::string left_out(const std::vector<WithoutRow>& without) {
  std::vector<std::string> reasons;
  for (const WithoutRow& row : without)
    if (reasons.size() < kMostReasons)
      reasons.push_back(fmt::format("{} offers: {}", row.offers, row.reason));
  return fmt::format("not measured and not forecast: {}", fmt::join(reasons, "; "));
}

}  // namespace

UnmeasuredCandidates unmeasured_candidates(std::span<const Run* const> probes,
                                           const SelectedRuns& selected, bool at_learned_epochs,
                                           const RunAssessor& judge, std::span<const Offer> offers,
                                           const std::optional<PrecisionClass>& precision,
                                           const Preferences& preferences) {
  UnmeasuredCandidates found;
  std::vector<Run> runs;
  for (const Run* probe : probes) runs.push_back(*probe);
  const AcceleratorTable& table = AcceleratorTable::shipped();
  auto home = home_of_runs(runs, judge, "", precision, table);
  if (!home) {
    found.notes.push_back("nothing is said of machines that were not measured: " +
                          home.error().text);
    return found;
  }
  home->own_programs = selected.own_programs;
  if (at_learned_epochs) home->needs = learned_needs(runs.front().context, selected.runs);
  std::vector<const Offer*> pointers;
  for (const Offer& offer : offers) pointers.push_back(&offer);
  const auto list = make_shortlist(*home, pointers, preferences, {.rows = 2 * kMostUnmeasured},
                                   table, read_machine_factors(machine_factors_csv()));
  if (!list) {
    found.notes.push_back("nothing is said of machines that were not measured: " +
                          list.error().text);
    return found;
  }
  const Candidate like = first_candidate(runs, judge);
  for (const ShortlistRow& row : list->rows) {
    const bool is_measured = row.kind == TransferKind::measured && !row.scaled;
    if (is_measured || found.candidates.size() == kMostUnmeasured) continue;
    found.candidates.push_back(candidate_on(row, *home, like));
    found.offers.push_back(*row.offer);
  }
  found.notes = list->warnings;
  if (std::string moved = list->own_note(); !moved.empty()) found.notes.push_back(std::move(moved));
  if (!list->without.empty()) found.notes.push_back(left_out(list->without));
  return found;
}

}  // namespace lapcast
