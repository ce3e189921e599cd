#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "table/table.h"

namespace lapcast {

struct PlotStyle {
  std::size_t width = 80;  // columns of the whole drawing, with what is beside it
  bool ascii = false;      // without Unicode
};

/// Places values on the steps of an axis: columns, rows or dots.
class PlotScale {
 public:
  /// Needs at least one step; a logarithmic scale needs 0 < low.
  PlotScale(double low, double high, std::size_t steps, bool is_log = false)
      : low_(low), high_(high), last_step_(static_cast<double>(steps) - 1), is_log_(is_log) {}

  double low() const { return low_; }
  double high() const { return high_; }
  bool is_log() const { return is_log_; }
  /// Returns the step of a value, from 0; the first or the last one for a value beyond the ends.
  std::size_t step_of(double value) const;

 private:
  double low_;
  double high_;
  double last_step_;
  bool is_log_;
};

/// Returns "    ├──●──┤", or "    |--o--|" in ASCII; without an upper end, "    ├──●──>". One that
/// was not measured is dashed and hollow: "    ├┄┄○┄┄┤", or "    |..o..|".
std::string drawn_interval(const Interval<double>& interval, const PlotScale& scale, bool ascii,
                           bool is_measured = true);

/// Returns a bar of `columns` times the share, to an eighth of a column, or to a whole one in
/// ASCII. A share above 0 is always visible.
std::string drawn_bar(double share, std::size_t columns, bool ascii);

/// Returns shares (0 to 1) as a line of at most `columns` columns, each as high as the mean of its
/// shares: "▁▁▇█▇", or in ASCII the tenths, "01898". A share above 0 is never drawn as 0.
std::string drawn_series(std::span<const double> shares, std::size_t columns, bool ascii);

/// Returns the two ends of a scale, as far apart as the drawing is wide.
std::string ends_of_scale(const std::string& low, const std::string& high, std::size_t columns);

/// Draws dots on a grid of characters, each of 2 by 4 dots (braille), or 1 by 2 in ASCII.
class DotCanvas {
 public:
  DotCanvas(std::size_t columns, std::size_t rows, bool ascii);

  std::size_t width() const { return columns_ * (ascii_ ? 1 : 2); }  // in dots
  std::size_t height() const { return rows_ * (ascii_ ? 2 : 4); }
  /// Sets a dot; x = 0, y = 0 is at the lower left.
  void dot(std::size_t x, std::size_t y);
  /// Puts a text over the characters of a row; its blanks cover nothing. Rows are counted from
  /// below.
  void put(std::size_t row, const std::string& text);
  /// Returns the rows, the uppermost first, without blanks at their ends.
  std::vector<std::string> lines() const;

 private:
  std::size_t columns_;
  std::size_t rows_;
  bool ascii_;
  std::vector<std::uint8_t> dots_;  // of each character, as the bits of braille
  std::vector<std::string> over_;   // of each character: what covers its dots; empty = nothing
};

/// Describes the axes of plot_table(): their names and the texts at their ends.
struct PlotAxes {
  std::string y_name, y_low, y_high;
  std::string x_low, x_high;
};
/// Returns how many columns the lines of plot_table() may have.
std::size_t plot_columns(const PlotAxes& axes, const PlotStyle& style);
/// Returns a table of the lines of a drawing with its axes. Only people see it.
Table plot_table(std::string title, const PlotAxes& axes, std::span<const std::string> lines,
                 std::size_t columns);

}  // namespace lapcast
