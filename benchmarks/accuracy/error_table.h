#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accuracy/judgement.h"

namespace lapcast::accuracy {

/// Holds the errors of one group after one observed part, in percent of the real time.
struct ErrorRow {
  Group group;
  std::string seen;
  Fit fit = Fit::others;
  std::size_t runs = 0;
  double papers_median = 0, papers_p90 = 0;
  double ours_median = 0, ours_p90 = 0;
  double coverage = 0;  // share of runs whose real time is in the interval
  double width = 0;     // median width of the interval, in percent of its middle
};

/// Returns the rows of all groups, those that count first.
std::vector<ErrorRow> error_rows(const std::vector<Judgement>& judgements);

/// Returns "row", group, observed part, runs, the median and the 90th percentile of the papers,
/// then ours, coverage and width, separated by tabs. The first cell is "alone" when the forecast
/// knew no other runs, and "fitted" when it knew those of the judged submitters themselves.
std::string to_text(const ErrorRow& row);
std::string_view to_string(Fit fit);  // "row", "alone", "fitted"

}  // namespace lapcast::accuracy
