#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// What an I/O node saw of an application's requests in one period, as the scheduler TWINS uses it
/// (Bez et al. 2019; Künas 2023, 4.1): five numbers, and how the application accesses its files.
///
/// A CSV file: a header with the names below, then one line for each observation. Sizes and
/// distances are in bytes; the distance is the mean of |offset - the one before| between consecutive
/// requests to the same file handle.

inline constexpr int64_t kIoFeatures = 5;
inline constexpr int kIoPatterns = 3;

inline constexpr std::array<std::string_view, kIoFeatures + 1> kIoColumns = {
    "min_request_size", "mean_request_size",    "max_request_size",
    "file_handles",     "mean_offset_distance", "pattern"};

/// The classes, 0 to 2.
inline constexpr std::array<std::string_view, kIoPatterns> kIoPatternNames = {
    "file-per-process", "shared-contiguous", "shared-strided"};

struct IoObservations {
  std::vector<double> features;   ///< count x kIoFeatures
  std::vector<uint8_t> patterns;  ///< count

  int64_t count() const { return static_cast<int64_t>(patterns.size()); }
  /// Keeps the first n; all of them when there are fewer or n is 0.
  void keep_first(int64_t n);
  /// One feature of all observations.
  std::vector<double> column(int64_t feature) const;
};

/// Reads one file; line ends are LF or CRLF. Throws FileError: missing or unreadable, another
/// header, no observations, a line with another number of fields, a number that is not one or is
/// negative or 2^64 or more, an unknown pattern, more than 2^30 bytes.
IoObservations read_io_observations(const std::filesystem::path& file);

/// Throws FileError when the file cannot be written; a file cut short is removed.
void write_io_observations(const std::filesystem::path& file, const IoObservations& observations);

struct IoParts {
  IoObservations training;
  IoObservations test;
};

/// Reads training.csv and test.csv of a folder; where there is no training.csv, observations.csv,
/// split by split_observations. Throws FileError.
IoParts read_io_parts(const std::filesystem::path& folder);

/// 70 % to train on and 30 % (rounded up) to test with, drawn at random, always the same: as
/// scikit-learn's train_test_split counts them, 38,912 become 27,238 and 11,674.
IoParts split_observations(const IoObservations& all);

}  // namespace lapcast::workloads
