#pragma once

#include <string>
#include <vector>

#include "extrapolate/machine_factors.h"

namespace lapcast::shortlist {

/// Holds one measured time of a public set: what one program needed on one machine.
struct SetRow {
  std::string set;      // "lambda0", "profet"
  std::string task;     // what is left out together: a network, a family of networks
  std::string program;  // the task with all that was the same on every machine
  MachineItem item;
  double log_seconds = 0;     // of a lap, an item or a run; only differences inside a program count
  double batch = 1;           // 1 = not said
  double other_forecast = 0;  // in seconds by the set's own forecaster; 0 = none
  int accelerators = 1;
};

/// Holds a program of a set as a vector: its times on some items, each once.
struct ProgramRow {
  std::string set;
  std::string task;
  std::string program;
  std::vector<MachineItem> items;
  std::vector<double> log_seconds;
};

/// Reads the rows of a public set below `folder` (the data sets that docs/benchmarks.md lists), as
/// samples of it are described there. Ends the program by no_data_in() when a file is absent.
std::vector<SetRow> read_lambda(const std::string& folder);
/// Returns Lambda's rows on several accelerators of one machine, of those that the table has.
std::vector<SetRow> read_lambda_of_several(const std::string& folder);
std::vector<SetRow> read_profet(const std::string& folder);
std::vector<SetRow> read_neusight(const std::string& folder);
std::vector<SetRow> read_sia(const std::string& folder);
std::vector<SetRow> read_gavel(const std::string& folder);
std::vector<SetRow> read_megatron(const std::string& folder);
std::vector<SetRow> read_mlperf(const std::string& folder);
std::vector<SetRow> read_timm(const std::string& folder);

/// Returns the rows by program, with the mean of what was measured on one item twice.
std::vector<ProgramRow> programs_of(const std::vector<SetRow>& rows);

/// Returns the rows whose time the device decides: of PROFET those with 64 samples or more and more
/// than 50 ms on a T4, of Sia the largest batch that all machines have, without ncf, of Gavel the
/// largest batch; of other sets all.
std::vector<SetRow> device_bound(const std::vector<SetRow>& rows);

/// Reads a CSV file, compressed or not, and calls the function with each row of cells, in the order
/// of `columns`; cells of absent columns are empty.
template <class Take>
void for_each_row(const std::string& path, const std::vector<std::string>& columns,
                  const Take& take);

}  // namespace lapcast::shortlist

#include "shortlist/csv_file.h"
