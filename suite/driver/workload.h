#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Names one of several combinations of settings of a workload.
struct WorkloadSetting {
  std::string name;   // for --setting
  std::string about;  // "[M]: batch 256, 15 epochs, ..."
};

/// Describes the program that writes a workload's synthetic set in the real format, with its
/// default sizes.
struct DataMaker {
  std::string program;
  std::int64_t training_samples = 0;
  std::int64_t test_samples = 0;
  std::vector<std::string> arguments;  // besides --out, --seed and the sizes
  std::int64_t classes = 1;            // in both parts of a set
  std::int64_t version = 1;            // of the data that it makes
  friend bool operator==(const DataMaker&, const DataMaker&) = default;
};

/// Returns the maker's arguments for this many samples.
std::vector<std::string> maker_arguments(const DataMaker& maker, std::int64_t training_samples,
                                         std::int64_t test_samples);

/// Holds one row of suite/programs/suite.toml.
struct Workload {
  std::string name;    // also the name of the program
  std::string source;  // "[G]"
  std::string network;
  std::optional<std::int64_t> parameters;
  std::string training;  // "cross-entropy / Adam"; empty = it trains nothing
  std::string data;      // the format; empty = no data
  std::optional<DataMaker> maker;
  std::int64_t batch = 0;  // 0 = none
  std::int64_t epochs = 0;
  std::vector<WorkloadSetting> settings;
  std::optional<double> accuracy;  // on its own synthetic set
  bool stopwatch = false;          // one of the five networks of [G]
  std::vector<std::string> tools;  // programs besides its own and the maker
  std::string board_sizes;         // "10..16": it counts queens instead of training
  std::string image_sizes;         // "443x760": it searches pictures instead of training

  bool counts_queens() const { return !board_sizes.empty(); }
  bool searches_pictures() const { return !image_sizes.empty(); }
  /// Returns the names of its program, the maker of its data, and its tools.
  std::vector<std::string> programs() const;
  bool trains() const { return !counts_queens() && !searches_pictures(); }
};

/// Returns the text of suite/programs/suite.toml, included when lapcast was built.
std::string_view suite_toml();

/// Parses a suite. Throws Error (bad input) with FILE:LINE:COLUMN for a key that is unknown,
/// missing or of the wrong type, and for a duplicate name.
std::vector<Workload> parse_suite(std::string_view text, const std::string& file);

/// Returns the suite that lapcast was built with, in the order of its file; parsed at the first
/// call.
const std::vector<Workload>& suite();

/// Returns the workload of that name. Throws Error (usage) that lists the names.
const Workload& workload_named(std::string_view name);

/// Returns the number of test samples for this many training samples: in the maker's own
/// proportion, at least one for each class.
std::int64_t test_samples_for(const DataMaker& maker, std::int64_t training_samples);

}  // namespace lapcast
