#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

enum class FigureKind {
  lines,      // y against the number x, a line for each series
  cost_time,  // cost in USD (y) over time (x), with the Pareto front
  epochs,     // time over epochs, with crossovers
  bars,       // a bar for each label, in groups of the series
  stacks,     // a bar for each label, stacked from the series
  boxes,      // a box for each label, with every point
};
std::string_view to_string(FigureKind kind);

/// Holds one value of a figure. Times are in seconds, shares in percent.
struct FigurePoint {
  double x = 0;       // of lines, epochs and cost_time
  double y = 0;       // the value; of cost_time the USD
  std::string label;  // of bars, stacks and boxes; of cost_time the settings: "batch=256"
  std::optional<double> deviation = {};  // the standard deviation of y
};

/// Holds points that belong together: those of a machine, a batch size or a stage.
struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points;
  bool is_own = false;  // from runs of the user, not from the paper
};

/// Describes a figure of a paper, and how lapcast draws it.
struct PaperFigure {
  std::string paper;   // "malta"
  std::string number;  // "4.3", "7-9"
  std::string place;   // "section 4.2"
  std::string shows;
  std::string drawn_from;          // "table 4.1"; empty = its numbers are only in the image
  std::string note;                // what the paper does not print of it, or how it is derived
  std::optional<FigureKind> kind;  // absent: it is not drawn
  std::string x;                   // what the x axis shows
  std::string y;
  std::string unit;  // of the values, and of the time of cost_time: "s", "percent", "ratio" ...
  std::string own;   // which figures of own runs are added; empty = none
  std::vector<std::string> workloads;  // of the suite, with such runs
  std::string command;                 // makes such runs
  std::vector<FigureSeries> series;    // from the paper; none if drawn_from is empty
  std::size_t left_out = 0;            // number of own series beyond the figure's limit
};

/// Returns the figures with results in the five papers, in the order of figures.csv, with the
/// points that follow from what the papers print.
std::vector<PaperFigure> paper_figures();

// Each of these functions returns the points of one figure of a paper. Throws Error (bad input) for
// an unknown number.
std::vector<FigureSeries> carneiro_series(std::string_view number);
std::vector<FigureSeries> kunas_series(std::string_view number);
std::vector<FigureSeries> lawrence_series(std::string_view number);
std::vector<FigureSeries> malta_series(std::string_view number);
std::vector<FigureSeries> review_series(std::string_view number);

}  // namespace lapcast
