#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lapcast::workloads {

/// Holds labelled pictures as JPEG files in memory.
struct JpegSet {
  std::vector<std::vector<uint8_t>> files;
  std::vector<uint8_t> labels;
  std::vector<std::string> places;  ///< "FILE: record N", for messages

  int64_t count() const { return static_cast<int64_t>(files.size()); }
};

/// Reads the pictures of TFRecord files (data/image_example.h): `most` of them, the first of each
/// class, or all when there are fewer or `most` is 0.
/// Throws FileError when a file is damaged, or a picture has no label below `classes`.
JpegSet read_jpeg_set(std::span<const std::filesystem::path> shards, int64_t classes, int64_t most);

/// Holds the files of the two parts of a set.
struct ShardParts {
  std::vector<std::filesystem::path> training;
  std::vector<std::filesystem::path> validation;
};

/// Name the folders of the two parts, where a set has them.
inline constexpr const char* kTrainingFolder = "training";
inline constexpr const char* kValidationFolder = "validation";

/// Returns the files of the folders of the two parts. Where there are none, the files of the folder
/// itself are split as Künas 2023 does: the first 80 % of them are for training, the others for
/// validation. Each part has at least one. Throws FileError when a part has no file.
ShardParts split_shards(const std::filesystem::path& folder);

}  // namespace lapcast::workloads
