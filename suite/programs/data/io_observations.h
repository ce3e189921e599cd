#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Holds what an I/O node measured of an application's requests in one period, as the scheduler
/// TWINS uses it (Bez et al. 2019; Künas 2023, section 4.1): five numbers and the application's
/// file access pattern.
///
/// The file is CSV: a header with the names below, then one line per observation. Sizes and
/// distances are in bytes. The distance is the mean of |offset - previous offset| over consecutive
/// requests to the same file handle.

inline constexpr int64_t kIoFeatures = 5;
inline constexpr int kIoPatterns = 3;

inline constexpr std::array<std::string_view, kIoFeatures + 1> kIoColumns = {
    "min_request_size", "mean_request_size",    "max_request_size",
    "file_handles",     "mean_offset_distance", "pattern"};

/// Names the classes 0 to 2.
inline constexpr std::array<std::string_view, kIoPatterns> kIoPatternNames = {
    "file-per-process", "shared-contiguous", "shared-strided"};

struct IoObservations {
  std::vector<double> features;   ///< count x kIoFeatures
  std::vector<uint8_t> patterns;  ///< count

  int64_t count() const { return static_cast<int64_t>(patterns.size()); }
  /// Keeps n observations, the first of each class (first_of_each_class()), or all when n is 0.
  void keep_first(int64_t n);
  /// Returns one feature of all observations.
  std::vector<double> column(int64_t feature) const;
};

/// Reads one file; lines end with LF or CRLF. Throws FileError when the file is missing,
/// unreadable, empty or longer than 2^30 bytes, the header differs, a line has another number of
/// fields, a value is not a number in [0, 2^64), or a pattern is unknown.
IoObservations read_io_observations(const std::filesystem::path& file);

/// Writes a file. Throws FileError when the file cannot be written; an incomplete file is removed.
void write_io_observations(const std::filesystem::path& file, const IoObservations& observations);

struct IoParts {
  IoObservations training;
  IoObservations test;
};

/// Reads training.csv and test.csv of a folder. Without training.csv it reads observations.csv and
/// splits it with split_observations(). Throws FileError.
IoParts read_io_parts(const std::filesystem::path& folder);

/// Splits the observations of each pattern at random, always in the same way, into 70 % for
/// training and 30 % (rounded up over all) for testing. The numbers are those of scikit-learn's
/// train_test_split: 38,912 become 27,238 and 11,674.
IoParts split_observations(const IoObservations& all);

}  // namespace lapcast::workloads
