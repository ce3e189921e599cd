#include "suite/driver/queens_report.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "report/cells.h"
#include "stats/intervals.h"
#include "stats/summary.h"
#include "stats/two_samples.h"

namespace lapcast {
namespace {

/// Holds all runs and the baselines with which they are compared.
struct ComparedBoards {
  const std::vector<QueensRuns>& all;
  const QueensBaselines& baselines;

  /// Returns the runs of a board in a mode on a machine; nullptr if there are none.
  const QueensRuns* find(int n, QueensMode mode, const std::string& machine) const {
    const auto found = std::ranges::find_if(all, [&](const QueensRuns& runs) {
      return runs.n == n && runs.mode == mode && runs.machine == machine && !runs.seconds.empty();
    });
    return found == all.end() ? nullptr : &*found;
  }

  const QueensRuns* serial(const QueensRuns& runs) const {
    return find(runs.n, QueensMode::serial,
                baselines.serial.empty() ? runs.machine : baselines.serial);
  }
  const QueensRuns* cores(const QueensRuns& runs) const {
    return runs.mode == QueensMode::gpu ? find(runs.n, QueensMode::cores, runs.machine) : nullptr;
  }
  const QueensRuns* server(const QueensRuns& runs) const {
    return runs.mode == QueensMode::gpu && !baselines.server.empty()
               ? find(runs.n, QueensMode::cores, baselines.server)
               : nullptr;
  }
};

using Base = const QueensRuns* (ComparedBoards::*)(const QueensRuns&) const;

/// Returns the speed-up of the runs over their baseline; exactly 1 over themselves.
std::optional<Interval<double>> speed_up_over(const ComparedBoards& boards, Base base,
                                              const QueensRuns& runs) {
  const QueensRuns* other = (boards.*base)(runs);
  if (other == nullptr) return std::nullopt;
  if (other == &runs) return Interval<double>::exactly(1);
  return speed_up(other->seconds, runs.seconds);
}

std::vector<double> rates(const QueensRuns& runs) {
  std::vector<double> rates;
  for (const double seconds : runs.seconds) rates.push_back(runs.nodes / seconds * 1e-6);
  return rates;
}

std::vector<ColumnOf<QueensRuns>> board_columns(const ComparedBoards& boards) {
  const auto of_runs = [](auto value) {
    return [value](const QueensRuns& runs) {
      return runs.seconds.empty() ? Cell() : cell_of(value(runs));
    };
  };
  const auto over = [&boards](Base base) {
    return [&boards, base](const QueensRuns& runs) { return speed_up_over(boards, base, runs); };
  };
  const auto notation = [&boards](const QueensRuns& runs) {
    return gpu_notation(speed_up_over(boards, &ComparedBoards::cores, runs),
                        speed_up_over(boards, &ComparedBoards::server, runs));
  };
  return {{"n", "N", &QueensRuns::n},
          {"machine_type", "machine", [](auto& r) { return text_cell(r.machine); }, kOptional},
          {"mode", "mode", [](auto& r) { return name_of(r.mode); }},
          {"runs", "runs", [](auto& r) { return r.seconds.size(); }},
          {"solutions", "solutions", of_runs([](auto& r) { return r.solutions; })},
          {"as_known", "as known", of_runs([](auto& r) { return r.correct(); })},
          {"nodes", "nodes", of_runs([](auto& r) { return static_cast<std::int64_t>(r.nodes); }),
           spare(1)},
          {"time_s", "time", [](auto& r) { return mean_time(r.seconds); }, kBounds},
          {"kernel_time_s", "in kernels", [](auto& r) { return mean_time(r.kernel_seconds); },
           kOptional},
          {"million_nodes_per_second", "10^6 nodes/s",
           [](auto& r) { return mean_number(rates(r), {.lowest = 0}); }, kBounds},
          {"speed_up", "speed-up", over(&ComparedBoards::serial), kBounds},
          {"speed_up_over_cores", "", over(&ComparedBoards::cores), kBounds},
          {"speed_up_over_server", "", over(&ComparedBoards::server), kBounds},
          {"", "<own cores, server's>", notation, kOptional},
          {"reason", "why not", [](auto& r) { return text_cell(r.reason); }, kOptional}};
}

/// Holds the averages over the boards of one mode on one machine.
struct ModeAverage {
  std::string machine;
  QueensMode mode;
  std::vector<double> rates = {};
  std::vector<double> speed_ups = {};
  std::vector<double> over_cores = {};
  std::vector<double> over_server = {};
};

void add_mid(std::vector<double>& values, const std::optional<Interval<double>>& ratio) {
  if (ratio) values.push_back(ratio->mid);
}

std::vector<ModeAverage> averages_of(const ComparedBoards& boards) {
  std::vector<ModeAverage> averages;
  for (const QueensMode mode : {QueensMode::serial, QueensMode::cores, QueensMode::gpu})
    for (const QueensRuns& runs : boards.all) {
      if (runs.mode != mode || runs.seconds.empty()) continue;
      auto own = std::ranges::find_if(averages, [&](const ModeAverage& average) {
        return average.mode == mode && average.machine == runs.machine;
      });
      if (own == averages.end()) own = averages.insert(own, {runs.machine, mode});
      own->rates.push_back(mean(rates(runs)));
      add_mid(own->speed_ups, speed_up_over(boards, &ComparedBoards::serial, runs));
      add_mid(own->over_cores, speed_up_over(boards, &ComparedBoards::cores, runs));
      add_mid(own->over_server, speed_up_over(boards, &ComparedBoards::server, runs));
    }
  return averages;
}

Table average_table(const ComparedBoards& boards) {
  const auto mean_cell = [](std::vector<double> ModeAverage::*values) {
    return [values](const ModeAverage& row) {
      return (row.*values).empty() ? Cell() : Cell(Number{mean(row.*values), 2});
    };
  };
  Table table = table_of<ModeAverage>(
      "board_averages", "N-Queens: averages over the boards",
      {{"machine_type", "machine", [](auto& r) { return text_cell(r.machine); }, kOptional},
       {"mode", "mode", [](auto& r) { return name_of(r.mode); }},
       {"boards", "boards", [](auto& r) { return r.rates.size(); }},
       {"million_nodes_per_second", "10^6 nodes/s", mean_cell(&ModeAverage::rates)},
       {"speed_up", "speed-up", mean_cell(&ModeAverage::speed_ups)},
       {"speed_up_over_cores", "over its cores", mean_cell(&ModeAverage::over_cores), kOptional},
       {"speed_up_over_server", "over the server's", mean_cell(&ModeAverage::over_server),
        kOptional}},
      averages_of(boards));
  table.notes = {"as in figures 1 and 2 of [C]"};
  return table;
}

}  // namespace

std::vector<Table> queens_tables(const std::vector<QueensRuns>& runs,
                                 const QueensBaselines& baselines) {
  const ComparedBoards compared{runs, baselines};
  Table boards = table_of("boards", "N-Queens", board_columns(compared), runs);
  boards.notes = {
      "solutions are held against the known numbers (OEIS A000170); speed-up is T of one thread" +
      (baselines.serial.empty() ? "" : " of " + baselines.serial) + " / T"};
  return {std::move(boards), average_table(compared)};
}

}  // namespace lapcast
