#include "rank/search_bill.h"

#include <utility>

#include "history/assessment.h"
#include "run/run_cost.h"

namespace lapcast {

std::string_view to_string(SearchWay way) {
  constexpr std::string_view kNames[] = {"everything", "two-epochs", "two-iterations", "probes",
                                         "race"};
  return kNames[static_cast<std::size_t>(way)];
}

Result<SearchTime> time_of_two_epochs(const LapProfile& profile, const TrainingPlan& plan) {
  if (profile.epochs.size() >= 2)
    return SearchTime{profile.init + profile.epochs[0] + profile.epochs[1], true};
  TrainingPlan two = plan;
  two.epochs = 2;
  two.steps = 0;
  return forecast(profile, two).map([](const Forecast& made) {
    return SearchTime{made.total.mid, false};
  });
}

Result<SearchTime> time_of_two_iterations(const LapProfile& profile) {
  if (profile.laps.size() < 2) return because("fewer than two laps were seen");
  return SearchTime{profile.init + profile.laps[0] + profile.laps[1], true};
}

void SearchExpense::add(const Result<SearchTime>& time, const Run& run,
                        std::span<const Offer> offers) {
  if (!time) {
    ++unknown;
    return;
  }
  ++(time->is_measured ? measured : forecast);
  sum.time += time->time;
  if (const auto cost = cost_of_time(run, time->time, offers))
    sum.cost = saturating_sum(sum.cost, *cost);
  else
    ++unpriced;
}

SearchExpense& SearchExpense::operator+=(const SearchExpense& other) {
  sum.time += other.sum.time;
  sum.cost = saturating_sum(sum.cost, other.sum.cost);
  measured += other.measured;
  forecast += other.forecast;
  unknown += other.unknown;
  unpriced += other.unpriced;
  return *this;
}

SearchExpense SearchBill::total(SearchWay way) const {
  SearchExpense sum;
  for (const auto& [machine_type, ways] : machines_) sum += ways[static_cast<std::size_t>(way)];
  return sum;
}

}  // namespace lapcast
