#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "query/layout_forecast.h"
#include "query/worker_forecast.h"
#include "table/table.h"

namespace lapcast {

/// Maps the names of machine types to forecasts of a training on each.
using WorkerForecasts = std::map<std::string, WorkerForecast>;

/// Returns the trainings on each number of workers, with what a probe would tell; of several
/// machine types also what pays off on each. There is at least one.
std::vector<Table> worker_tables(const WorkerForecasts& forecasts);

/// Says which numbers of workers pay off on a machine.
struct WorkersOnMachine {
  struct Training {
    double workers = 0;
    Interval<Seconds> time;
    std::optional<Interval<Money>> cost;  // none = no price is known
  };
  std::string machine_type;
  Training fastest;
  std::optional<Training> cheapest;   // none = no price is known
  std::optional<double> worth = {};   // more workers are waste by time x cost; none = all pay off
  std::optional<Workers> probe = {};  // what a probe would tell most of; none = of nothing
};

/// Returns what the trainings on a machine say; there is one.
WorkersOnMachine workers_on(const std::string& machine_type, const WorkerForecast& forecast);

/// Returns a table with a row for each machine.
Table workers_by_machine_table(std::span<const WorkersOnMachine> machines);

/// Returns the trainings in each layout.
std::vector<Table> layout_tables(const LayoutForecast& forecast);

}  // namespace lapcast
