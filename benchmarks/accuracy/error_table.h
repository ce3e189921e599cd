#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accuracy/judgement.h"

namespace lapcast::accuracy {

/// Errors of one group after one thing was seen, in percent of the real time.
struct ErrorRow {
  Group group;
  std::string seen;
  Fit fit = Fit::others;
  std::size_t runs = 0;
  double papers_median = 0, papers_p90 = 0;
  double ours_median = 0, ours_p90 = 0;
  double coverage = 0;  // runs whose real time lies in the interval
  double width = 0;     // median of the interval's width, in percent of its mid
};

/// The rows of all groups, those that count first.
std::vector<ErrorRow> error_rows(const std::vector<Judgement>& judgements);

/// "row", group, what was seen, runs, the papers' median and 90th percentile, ours, coverage, width,
/// between tabs; "alone" instead of "row" where the forecast knew no other runs, "fitted" where it
/// knew those of the judged submitters themselves.
std::string to_text(const ErrorRow& row);
std::string_view to_string(Fit fit);  // "row", "alone", "fitted"

}  // namespace lapcast::accuracy
