#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

// The files of the folder papers, included when lapcast was built: CSV with a header row, after
// lines that begin with '#' and name the source.
std::string_view carneiro_csv();
std::string_view figure_facts_csv();
std::string_view figures_csv();
std::string_view kunas_csv();
std::string_view lawrence_csv();
std::string_view lawrence_systems_csv();
std::string_view malta_epochs_csv();
std::string_view malta_estimates_csv();
std::string_view malta_iterations_csv();
std::string_view malta_relative_csv();
std::string_view malta_runs_csv();
std::string_view malta_search_csv();
std::string_view malta_strategies_csv();
std::string_view malta_text_csv();
std::string_view review_csv();
std::string_view review_stages_csv();
std::string_view slips_csv();

/// Holds a number as printed in a paper. Its digits show how it was rounded: it represents every
/// value within half a unit of its last digit.
struct Printed {
  std::string text;
  int decimals = 0;
  Interval<double> value;
};

/// Parses a printed number such as "0.050" or "-41". Throws Error (bad input) for any other text.
Printed printed(std::string_view text);

/// Holds one row of a file: the text of each cell by the name of its column.
class PaperRow {
 public:
  explicit PaperRow(std::map<std::string, std::string, std::less<>> cells)
      : cells_(std::move(cells)) {}
  /// Returns the text of a cell. Throws Error (bad input) if there is no such column.
  const std::string& text(std::string_view column) const;
  /// Returns the number in a cell. Throws Error (bad input) if it is not one.
  Printed number(std::string_view column) const { return printed(text(column)); }
  /// Returns the number in a cell; nullopt if it is empty because the paper does not print it.
  std::optional<Printed> number_if(std::string_view column) const;

 private:
  std::map<std::string, std::string, std::less<>> cells_;
};

/// Returns the rows of a file. Throws Error (bad input) for a row that is damaged, or whose length
/// differs from that of the header.
std::vector<PaperRow> paper_rows(std::string_view csv);

/// Returns the first row that meets the condition. Throws Error (bad input) if none does.
const PaperRow& row_where(const std::vector<PaperRow>& rows,
                          const std::function<bool(const PaperRow&)>& condition);

/// Returns a function of printed numbers. The bounds are its smallest and largest value over all
/// combinations of the ends of the numbers' intervals, so it must be monotonic in each number.
Interval<double> over_rounding(std::initializer_list<Printed> numbers,
                               const std::function<double(std::span<const double>)>& function);

/// Returns the ratio of two printed numbers.
Interval<double> printed_ratio(const Printed& a, const Printed& b);

}  // namespace lapcast
