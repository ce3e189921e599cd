#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "price/offer.h"
#include "rank/race_result.h"
#include "run/run.h"

namespace lapcast {

/// Names the ways of searching for the best candidate whose bills are compared, as in tables 4.4
/// and 5.14 of Malta 2021. `probes` and `race` are what lapcast really ran.
enum class SearchWay { everything, two_epochs, two_iterations, probes, race };
inline constexpr SearchWay kAllSearchWays[] = {SearchWay::everything, SearchWay::two_epochs,
                                               SearchWay::two_iterations, SearchWay::probes,
                                               SearchWay::race};
std::string_view to_string(SearchWay way);  // "everything", "two-epochs" ...

/// Holds how long a part of a search takes, and whether it was measured or is forecast.
struct SearchTime {
  Seconds time{0};
  bool is_measured = false;
};

/// Returns how long a candidate's first two epochs take, from the start of the program: what
/// methodology 1 of Malta 2021 runs of each candidate. Uses two whole epochs of the profile, else
/// lapcast's forecast of a training of two epochs. Returns the reason if there is neither.
Result<SearchTime> time_of_two_epochs(const LapProfile& profile, const TrainingPlan& plan);

/// Returns how long the first two laps take, from the start of the program and without validation:
/// what table 5.14 bills for methodology 2. Returns the reason for fewer laps.
Result<SearchTime> time_of_two_iterations(const LapProfile& profile);

/// Holds the expense of a way of searching, and how it is known.
struct SearchExpense {
  Expense sum;
  std::size_t measured = 0;  // number of candidates, or of runs of `probes` and `race`
  std::size_t forecast = 0;  // number of candidates
  std::size_t unknown = 0;   // number of candidates that are not in the sum
  std::size_t unpriced = 0;  // number of those in the sum that are not in its cost

  std::size_t counted() const { return measured + forecast; }
  /// Adds a candidate or run, billed by cost_of_time().
  void add(const Result<SearchTime>& time, const Run& run, std::span<const Offer> offers);
  SearchExpense& operator+=(const SearchExpense& other);
};

/// Holds the bill of each way of searching, by machine type.
class SearchBill {
 public:
  using ByWay = std::array<SearchExpense, std::size(kAllSearchWays)>;
  SearchExpense& of(const std::string& machine_type, SearchWay way) {
    return machines_[machine_type][static_cast<std::size_t>(way)];
  }
  const std::map<std::string, ByWay>& machines() const { return machines_; }
  SearchExpense total(SearchWay way) const;

 private:
  std::map<std::string, ByWay> machines_;
};

}  // namespace lapcast
