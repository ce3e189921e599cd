#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace lapcast::shortlist {

/// Holds one forecast of a time that a set has, in logarithms.
struct Judged {
  std::string task;  // what was left out, or the program
  double error = 0;  // forecast - truth
  double low = 0;    // of the 95 % interval, - truth
  double high = 0;
};

/// Holds what many forecasts came to: absolute errors in percent of the truth.
struct Errors {
  std::size_t count = 0;
  double median = 0;
  double p90 = 0;
  double coverage = 0;  // in percent
  double width = 0;     // mean of ln(upper / lower)
};
Errors errors_of(const std::vector<Judged>& judged);

/// Returns 0 or 1 by a hash of a task: constants that are chosen on one half are judged on the
/// other.
int half_of(const std::string& task);

/// Returns the forecasts of one half.
std::vector<Judged> of_half(const std::vector<Judged>& judged, int half);

/// Returns the mean logarithm of the density of the truths, were the intervals normal.
double score_of(const std::vector<Judged>& judged);

/// Returns the p-quantile of values.
double quantile_of(std::vector<double> values, double p);

/// Prints figures with their goals, and counts the goals that are met.
class Goals {
 public:
  void heading(const std::string& text) const;
  /// Prints the line "name: 15.9 / 48.4 %, 93.5 % covered, width 0.96 (n)".
  void show(const std::string& name, const Errors& errors) const;
  /// Counts a goal and prints "goal: WHAT: met" or "missed".
  void goal(const std::string& what, bool is_met);
  /// Counts the goal "median / p90", for example 15 / 45.
  void error_goal(const Errors& errors, double median, double p90);
  void coverage_goal(const Errors& errors, double least, double most);
  void width_goal(const Errors& errors, double most);
  /// Prints the last line, "NAME: K of M goals met".
  void end(const std::string& name) const;

 private:
  int met_ = 0, all_ = 0;
};

}  // namespace lapcast::shortlist
