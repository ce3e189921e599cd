#include "report/queens_report.h"

#include <algorithm>
#include <optional>

#include "report/mean_cell.h"
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

/// T_base / T of the means.
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

std::vector<Cell> row_of(const std::vector<QueensRuns>& all, const QueensRuns& runs) {
  const bool any = !runs.seconds.empty();
  const bool gpu = runs.mode == QueensMode::gpu;
  return {std::int64_t{runs.n},
          std::string(name_of(runs.mode)),
          static_cast<std::int64_t>(runs.seconds.size()),
          any ? Cell(runs.solutions) : Cell(),
          any ? Cell(runs.correct()) : Cell(),
          any ? Cell(static_cast<std::int64_t>(runs.nodes)) : Cell(),
          mean_time(runs.seconds),
          mean_number(rates(runs)),
          speed_up_cell(find(all, runs.n, QueensMode::serial), runs),
          gpu ? speed_up_cell(find(all, runs.n, QueensMode::cores), runs) : Cell(),
          runs.reason.empty() ? Cell() : Cell(runs.reason)};
}

Table board_table(const std::vector<QueensRuns>& all) {
  Table table{"N-Queens",
              {},
              {{"n", "N"},
               {"mode", "mode"},
               {"runs", "runs"},
               {"solutions", "solutions"},
               {"as_known", "as known"},
               {.key = "nodes", .header = "nodes", .spare = 1},
               {"time_s", "time", true},
               {"million_nodes_per_second", "10^6 nodes/s", true},
               {"speed_up", "speed-up", true},
               {.key = "speed_up_over_cores", .header = "over all cores", .bounds = true,
                .optional = true},
               {.key = "reason", .header = "why not", .optional = true}},
              {},
              {"solutions are held against the known numbers (OEIS A000170); speed-up is T of one "
               "thread / T"}};
  for (const QueensRuns& runs : all) table.rows.push_back(row_of(all, runs));
  return table;
}

Table average_table(const std::vector<QueensRuns>& all) {
  Table table{"N-Queens: averages over the boards",
              {},
              {{"mode", "mode"},
               {"boards", "boards"},
               {"million_nodes_per_second", "10^6 nodes/s"},
               {"speed_up", "speed-up"}},
              {},
              {"as in figures 1 and 2 of [C]"}};
  for (const QueensMode mode : {QueensMode::serial, QueensMode::cores, QueensMode::gpu}) {
    std::vector<double> means, speed_ups;
    for (const QueensRuns& runs : all) {
      if (runs.mode != mode || runs.seconds.empty()) continue;
      means.push_back(mean(rates(runs)));
      const auto ratio = speed_up(find(all, runs.n, QueensMode::serial), runs);
      if (ratio) speed_ups.push_back(*ratio);
    }
    if (means.empty()) continue;
    table.rows.push_back({std::string(name_of(mode)), static_cast<std::int64_t>(means.size()),
                          Number{mean(means), 2},
                          speed_ups.empty() ? Cell() : Cell(Number{mean(speed_ups), 2})});
  }
  return table;
}

}  // namespace

std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs) {
  return {board_table(runs), average_table(runs)};
}

}  // namespace lapcast
