#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Reads and writes the binary version of CIFAR-10, which the data set's own page describes:
/// data_batch_1.bin to data_batch_5.bin and test_batch.bin, each with at most 10,000 records of
/// 3,073 bytes. A record is the label, 0..9, then 32x32 pixels, row by row: all red values, then
/// green, then blue.

inline constexpr int64_t kCifarSide = 32;
inline constexpr int64_t kCifarChannels = 3;
inline constexpr int64_t kCifarPixels = kCifarChannels * kCifarSide * kCifarSide;
inline constexpr int64_t kCifarRecordBytes = 1 + kCifarPixels;
inline constexpr int64_t kCifarRecordsPerFile = 10000;
inline constexpr int kCifarTrainingFiles = 5;
inline constexpr int kCifarClasses = 10;

struct Cifar10Images {
  std::vector<uint8_t> pixels;  ///< count x 3 x 32 x 32
  std::vector<uint8_t> labels;

  int64_t count() const { return static_cast<int64_t>(labels.size()); }
  /// Keeps n images, the first of each class (first_of_each_class()), or all when n is 0.
  void keep_first(int64_t n);
};

enum class Cifar10Part { kTraining, kTest };

/// Reads one file. Throws FileError when the file is missing, unreadable or empty, is not a whole
/// number of records, has more than 10,000 of them, or has a label out of range.
Cifar10Images read_cifar10_file(const std::filesystem::path& file);

/// Reads one part of a folder, or of its subfolder cifar-10-batches-bin, to which the data set
/// unpacks. Training files may hold fewer records than the real ones, but their numbers of records
/// must differ by at most one. Throws FileError.
Cifar10Images read_cifar10(const std::filesystem::path& folder, Cifar10Part part);

/// Writes one part into the folder itself and spreads the training part evenly over its files.
/// Throws FileError when a file cannot be written (an incomplete file is removed), when there are
/// fewer images than files, or when there are more than fit.
void write_cifar10(const std::filesystem::path& folder, Cifar10Part part,
                   const Cifar10Images& images);

}  // namespace lapcast::workloads
