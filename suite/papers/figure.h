#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Says how a figure is drawn.
enum class FigureKind {
  lines,      // y against the number x, a line for each series
  cost_time,  // cost in USD (y) against time (x), with the Pareto front
  epochs,     // time against epochs, with crossovers
  bars,       // a bar for each label, in groups of the series
  stacks,     // a bar for each label, made of the series
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

/// Holds the points that belong together: those of a machine, a batch size or a stage.
struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points;
  bool is_own = false;  // of runs of the user, not of the paper
};

/// Holds a figure of a paper, and what lapcast draws of it.
struct PaperFigure {
  std::string paper;   // "malta"
  std::string number;  // "4.3", "7-9"
  std::string place;   // "section 4.2"
  std::string shows;
  std::string drawn_from;          // "table 4.1"; empty = its numbers are only in the picture
  std::string note;                // what is not printed of it, or how it is derived
  std::optional<FigureKind> kind;  // absent: it is not drawn at all
  std::string x;                   // what the axis of x shows
  std::string y;
  std::string unit;  // of the values, and of the time of cost_time: "s", "percent", "ratio" ...
  std::string own;   // which figures of own runs stand beside it; empty = none
  std::vector<std::string> workloads;  // of the suite, whose runs these are
  std::string command;                 // makes such runs
  std::vector<FigureSeries> series;    // from the paper; none where drawn_from is empty
  std::size_t left_out = 0;            // own series that are too many for the figure
};

/// Returns the figures of the five papers that show results, in the order of figures.csv, with the
/// points that follow from what the papers print.
std::vector<PaperFigure> paper_figures();

// Each of these functions returns the points of one figure of a paper. Throws Error (bad input)
// for a number that it does not know.
std::vector<FigureSeries> carneiro_series(std::string_view number);
std::vector<FigureSeries> kunas_series(std::string_view number);
std::vector<FigureSeries> lawrence_series(std::string_view number);
std::vector<FigureSeries> malta_series(std::string_view number);
std::vector<FigureSeries> review_series(std::string_view number);

}  // namespace lapcast
