#include "report/queens_report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "report/cells.h"
#include "stats/ratio.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

const QueensRuns* find(const std::vector<QueensRuns>& all, int n, QueensMode mode) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const QueensRuns& runs) {
    return runs.n == n && runs.mode == mode && !runs.seconds.empty();
  });
  return found == all.end() ? nullptr : &*found;
}

/// Returns T_base / T of the means.
std::optional<double> speed_up(const QueensRuns* base, const QueensRuns& runs) {
  if (base == nullptr || runs.seconds.empty()) return std::nullopt;
  return mean(base->seconds) / mean(runs.seconds);
}

Cell speed_up_cell(const QueensRuns* base, const QueensRuns& runs) {
  const auto ratio = speed_up(base, runs);
  if (!ratio) return {};
  if (base == &runs) return Interval<double>::exactly(1);
  return ratio_of_means(base->seconds, runs.seconds).value_or(Interval<double>::exactly(*ratio));
}

std::vector<double> rates(const QueensRuns& runs) {
  std::vector<double> rates;
  for (const double seconds : runs.seconds) rates.push_back(runs.nodes / seconds * 1e-6);
  return rates;
}

std::vector<ColumnOf<QueensRuns>> board_columns(const std::vector<QueensRuns>& all) {
  const auto of_runs = [](auto value) {
    return [value](const QueensRuns& runs) {
      return runs.seconds.empty() ? Cell() : cell_of(value(runs));
    };
  };
  const auto over = [&all](QueensMode base) {
    return [&all, base](const QueensRuns& runs) {
      return speed_up_cell(find(all, runs.n, base), runs);
    };
  };
  const auto gpu_over_cores = [over](const QueensRuns& runs) {
    return runs.mode == QueensMode::gpu ? over(QueensMode::cores)(runs) : Cell();
  };
  return {
      {"n", "N", &QueensRuns::n},
      {"mode", "mode", [](auto& r) { return name_of(r.mode); }},
      {"runs", "runs", [](auto& r) { return r.seconds.size(); }},
      {"solutions", "solutions", of_runs([](auto& r) { return r.solutions; })},
      {"as_known", "as known", of_runs([](auto& r) { return r.correct(); })},
      {"nodes",
       "nodes",
       of_runs([](auto& r) { return static_cast<std::int64_t>(r.nodes); }),
       {.spare = 1}},
      {"time_s", "time", [](auto& r) { return mean_time(r.seconds); }, {.bounds = true}},
      {"million_nodes_per_second",
       "10^6 nodes/s",
       [](auto& r) { return mean_number(rates(r), {.lowest = 0}); },
       {.bounds = true}},
      {"speed_up", "speed-up", over(QueensMode::serial), {.bounds = true}},
      {"speed_up_over_cores", "over all cores", gpu_over_cores, {.bounds = true, .optional = true}},
      {"reason", "why not", [](auto& r) { return text_cell(r.reason); }, {.optional = true}}};
}

Table board_table(const std::vector<QueensRuns>& all) {
  Table table = table_of("N-Queens", board_columns(all), all);
  table.notes = {
      "solutions are held against the known numbers (OEIS A000170); speed-up is T of one "
      "thread / T"};
  return table;
}

struct ModeAverage {
  QueensMode mode;
  std::vector<double> rates;
  std::vector<double> speed_ups;
};

std::vector<ModeAverage> averages_of(const std::vector<QueensRuns>& all) {
  std::vector<ModeAverage> averages;
  for (const QueensMode mode : {QueensMode::serial, QueensMode::cores, QueensMode::gpu}) {
    ModeAverage average{mode, {}, {}};
    for (const QueensRuns& runs : all) {
      if (runs.mode != mode || runs.seconds.empty()) continue;
      average.rates.push_back(mean(rates(runs)));
      const auto ratio = speed_up(find(all, runs.n, QueensMode::serial), runs);
      if (ratio) average.speed_ups.push_back(*ratio);
    }
    if (!average.rates.empty()) averages.push_back(std::move(average));
  }
  return averages;
}

Table average_table(const std::vector<QueensRuns>& all) {
  const auto mean_cell = [](std::vector<double> ModeAverage::*values) {
    return [values](const ModeAverage& row) {
      return (row.*values).empty() ? Cell() : Cell(Number{mean(row.*values), 2});
    };
  };
  Table table = table_of<ModeAverage>(
      "N-Queens: averages over the boards",
      {{"mode", "mode", [](auto& r) { return name_of(r.mode); }},
       {"boards", "boards", [](auto& r) { return r.rates.size(); }},
       {"million_nodes_per_second", "10^6 nodes/s", mean_cell(&ModeAverage::rates)},
       {"speed_up", "speed-up", mean_cell(&ModeAverage::speed_ups)}},
      averages_of(all));
  table.notes = {"as in figures 1 and 2 of [C]"};
  return table;
}

}  // namespace

std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs) {
  return {board_table(runs), average_table(runs)};
}

}  // namespace lapcast
