#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accuracy/judgement.h"

namespace lapcast::accuracy {

/// Holds a median and a 90th percentile.
struct MedianAndTail {
  double median = 0;
  double p90 = 0;
};

/// Is the error of a run without a forecast, in percent: a miss, and no interval holds it.
inline constexpr double kNoForecast = 1000;

/// Holds the errors of one group after one observed part, in percent: of the total in percent of
/// the real time, and of the rest in percent of the time that the run still took.
struct ErrorRow {
  Group group;
  std::string seen;
  Fit fit = Fit::others;
  std::size_t runs = 0;
  MedianAndTail papers, ours;
  double coverage = 0;    // share of runs whose real time is in the interval
  double width = 0;       // median width of the interval, in percent of its middle
  double seen_share = 0;  // of the real time that was observed; the median
  MedianAndTail papers_rest, ours_rest;
};

/// Returns the rows of all groups; those of one group and observed part follow each other in the
/// order of Fit.
std::vector<ErrorRow> error_rows(const std::vector<Judgement>& judgements);

/// Returns "row", group, observed part, runs, the median and the 90th percentile of the papers,
/// then ours, coverage, width, the share seen, and the errors of the rest: the papers', then ours;
/// separated by tabs. The first cell is "alone" when the forecast knew no other runs, and "fitted"
/// when it knew those of the judged submitters themselves.
std::string to_text(const ErrorRow& row);
/// Returns "0.79 / 5.3".
std::string to_text(const MedianAndTail& errors);
std::string_view to_string(Fit fit);  // "row", "alone", "fitted"

}  // namespace lapcast::accuracy
