#include "scaling/layout_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include "extrapolate/layout_scaling.h"
#include "shortlist/csv_file.h"

namespace lapcast::scaling {
namespace {

using shortlist::cell_number;
using shortlist::Judged;

struct LayoutRow {
  Layout layout;
  double global_batch = 0;
  double log_seconds = 0;
};
using LayoutRows = std::vector<LayoutRow>;
using Chosen = std::vector<std::size_t>;  // rows that were measured

/// Returns the rows of a file by what `program` names.
std::map<std::string, LayoutRows> read_layouts(const std::string& path, const char* program) {
  std::map<std::string, LayoutRows> programs;
  shortlist::for_each_row(
      path, {program, "tp", "pp", "dp", "micro_batch", "global_batch", "layers", "iteration_ms"},
      [&](const std::vector<std::string>& c) {
        const double data = cell_number(c[3]), micro = cell_number(c[4]);
        const double batch = cell_number(c[5]);
        programs[c[0]].push_back({{cell_number(c[1]), cell_number(c[2]), data, micro,
                                   batch / (micro * data), cell_number(c[6])},
                                  batch,
                                  std::log(cell_number(c[7]) / 1000)});
      });
  return programs;
}

std::vector<Interval<double>> forecast_all(const LayoutRows& rows, const Chosen& measured) {
  std::vector<Layout> laps, asked;
  std::vector<double> seconds;
  for (const std::size_t i : measured) {
    laps.push_back(rows[i].layout);
    seconds.push_back(rows[i].log_seconds);
  }
  for (const LayoutRow& row : rows) asked.push_back(row.layout);
  return forecast_layouts(laps, seconds, asked);
}

/// Returns the rows with the largest tensor, data and pipeline parallel part, at the largest batch
/// and micro-batch, and the smallest micro-batch of the most mixed layout.
Chosen corners(const LayoutRows& rows) {
  const auto best = [&](const std::function<double(const Layout&)>& first, double sign) {
    std::size_t found = 0;
    const auto key = [&](const LayoutRow& row) {
      return std::vector<double>{first(row.layout), sign * row.layout.micro_batch,
                                 row.global_batch};
    };
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (key(rows[i]) > key(rows[found])) found = i;
    return found;
  };
  return {best([](const Layout& l) { return l.tensor; }, 1),
          best([](const Layout& l) { return l.data; }, 1),
          best([](const Layout& l) { return l.pipeline - l.tensor - l.data; }, 1),
          best(
              [](const Layout& l) {
                return std::min({l.tensor, l.data, l.pipeline});
              },
              -1)};
}

/// Returns the middle row and five more, each where the forecast from those before is least sure.
Chosen least_sure(const LayoutRows& rows) {
  Chosen measured{rows.size() / 2};
  while (measured.size() < 6) {
    const auto forecast = forecast_all(rows, measured);
    std::size_t widest = 0;
    double width = -1;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (std::ranges::find(measured, i) == measured.end() &&
          forecast[i].high - forecast[i].low > width) {
        width = forecast[i].high - forecast[i].low;
        widest = i;
      }
    measured.push_back(widest);
  }
  return measured;
}

void judge(const std::string& name, const std::map<std::string, LayoutRows>& programs,
           const std::function<Chosen(const LayoutRows&)>& choose, double goal,
           shortlist::Goals& goals) {
  std::vector<Judged> judged;
  for (const auto& [program, rows] : programs) {
    const Chosen measured = choose(rows);
    const auto forecast = forecast_all(rows, measured);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const double truth = rows[i].log_seconds;
          std::ranges::find(measured, i) == measured.end())
        judged.push_back(
            {program, forecast[i].mid - truth, forecast[i].low - truth, forecast[i].high - truth});
  }
  goals.show(name, errors_of(judged));
  double mean = 0;
  for (const Judged& one : judged)
    mean += 100 * std::abs(std::expm1(one.error)) / double(judged.size());
  std::printf("    mean %.1f %%\n", mean);
  char text[32];
  std::snprintf(text, sizeof text, "mean <= %g %%", goal);
  goals.goal(text, std::round(mean * 10) / 10 <= goal);
}

}  // namespace

void judge_layouts(const std::string& folder, shortlist::Goals& goals) {
  goals.heading("vTrain, other layouts of one network");
  judge("one node, four corner layouts", read_layouts(folder + "/vtrain/single.csv", "layers"),
        corners, 8.4, goals);
  judge("many nodes, six chosen laps", read_layouts(folder + "/vtrain/multi.csv", "params_b"),
        least_sure, 9.6, goals);
}

}  // namespace lapcast::scaling
