#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "shortlist/csv_file.h"
#include "shortlist/judged.h"

namespace lapcast {

/// Holds the peaks of a training of the set megatron that were stored, in the order of its steps.
struct MegatronRun {
  std::string training;    // what it did, and with which software
  std::string generation;  // of its GPUs
  std::vector<double> peaks;
};

/// Reads the set's trainings whose allocator told its peaks, without copies and second parts.
inline std::vector<MegatronRun> read_megatron_memory(const std::string& folder) {
  using Cells = std::vector<std::string>;
  std::map<std::string, MegatronRun> runs;  // by file
  shortlist::for_each_row(
      folder + "/megatron/files.csv",
      {"file", "case", "environment", "gpus", "generation", "part", "copy_of",
       "mem_max_allocated_bytes"},
      [&](const Cells& cells) {
        if (cells[5].empty() && cells[6].empty() && !cells[7].empty())
          runs[cells[0]] = {cells[1] + " " + cells[2] + " " + cells[3], cells[4], {}};
      });
  shortlist::for_each_row(folder + "/megatron/series.csv.gz", {"file", "mem_max_allocated_bytes"},
                          [&](const Cells& cells) {
                            const auto run = runs.find(cells[0]);
                            if (run == runs.end()) return;
                            std::vector<double>& peaks = run->second.peaks;
                            const double told = shortlist::cell_number(cells[1]);
                            const double before = peaks.empty() ? 0 : peaks.back();
                            peaks.push_back(std::max(told, before));  // empty: as before
                          });
  std::vector<MegatronRun> all;
  for (auto& [file, run] : runs) all.push_back(std::move(run));
  return all;
}

/// Shows how far the peak of the first stored iterations is below that of the whole training.
inline void first_laps_part(const std::vector<MegatronRun>& runs, shortlist::Goals& goals) {
  constexpr std::size_t kFewest = 40;  // iterations of a training
  goals.heading("The peak of a whole training from its first iterations (megatron, without goals)");
  for (const std::size_t seen : {2, 5, 10, 20}) {
    std::vector<shortlist::Judged> all;
    std::size_t grew = 0;
    for (const MegatronRun& run : runs) {
      if (run.peaks.size() < kFewest || run.peaks[seen - 1] <= 0) continue;
      const double error = std::log(run.peaks[seen - 1] / run.peaks.back());
      all.push_back({run.training, error, error, error});
      grew += error < std::log(0.98);
    }
    const shortlist::Errors errors = shortlist::errors_of(all);
    std::printf("  of %2zu: %.2f / %.2f %% too low; %zu of %zu grew by more than 2 %% later\n",
                seen, errors.median, errors.p90, grew, errors.count);
  }
}

/// Shows how far the peak on GPUs of one generation is from that on another one.
inline void generations_part(const std::vector<MegatronRun>& runs, shortlist::Goals& goals) {
  constexpr std::array<std::array<const char*, 2>, 3> kPairs{
      {{"a100", "h100"}, {"h100", "gb200"}, {"a100", "gb200"}}};
  goals.heading(
      "The peak on another generation of GPUs is that of this one (megatron, without "
      "goals)");
  std::map<std::string, std::map<std::string, std::vector<double>>> peaks;
  for (const MegatronRun& run : runs)
    if (!run.generation.empty() && !run.peaks.empty() && run.peaks.back() > 0)
      peaks[run.training][run.generation].push_back(run.peaks.back());
  for (const auto& [home, other] : kPairs) {
    std::vector<shortlist::Judged> all;
    for (const auto& [training, by_generation] : peaks) {
      const auto here = by_generation.find(home), there = by_generation.find(other);
      if (here == by_generation.end() || there == by_generation.end()) continue;
      const double error = std::log(shortlist::median_of(here->second)) -
                           std::log(shortlist::median_of(there->second));
      all.push_back({training, error, error, error});
    }
    const shortlist::Errors errors = shortlist::errors_of(all);
    std::printf("  %s from %s: %.1f / %.1f %% (%zu trainings)\n", other, home, errors.median,
                errors.p90, errors.count);
  }
}

}  // namespace lapcast
