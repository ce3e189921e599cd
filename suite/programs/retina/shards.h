#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "retina/prepare.h"

namespace lapcast::workloads {

/// Says what is prepared, and how.
struct PrepareRequest {
  std::filesystem::path in;
  std::filesystem::path out;
  std::filesystem::path labels;  ///< empty: the one in the folder
  int64_t side = 256;
  int64_t shard = 2000;  ///< images of a shard
  bool tfrecord = true;  ///< else JPEG files
  int quality = 95;
  int workers = 1;
};

struct SkippedEye {
  std::string image;
  std::string reason;
};

/// Sums up what was prepared.
struct PrepareSummary {
  int64_t total = 0;       ///< photographs of the folder
  int64_t earlier = 0;     ///< of them, handled by earlier runs
  int64_t prepared = 0;    ///< by all runs
  int64_t shards = 0;      ///< of all runs
  uint64_t bytes_in = 0;   ///< that this run read
  uint64_t bytes_out = 0;  ///< of prepared pictures, by this run
  int64_t done = 0;        ///< photographs that this run handled
  double seconds = 0;
  StageSeconds stages{};                                 ///< seconds of all workers together
  std::vector<SkippedEye> skipped;                       ///< by all runs
  std::map<std::pair<int64_t, int64_t>, int64_t> sizes;  ///< photographs by width and height
  std::map<int64_t, std::pair<int64_t, int64_t>> files;  ///< by KiB, rounded up to a power of two:
                                                         ///< photographs, prepared pictures
};

/// Returns the pictures of a shard of a made set: 2,000 as in Künas 2023 (section 4.3), whose
/// 35,126 make 18 files, 14 of them (28,000) for training; a twentieth of fewer than 20,000.
int64_t made_shard(int64_t images);

using PrepareProgress = std::function<void(const PrepareSummary&)>;

/// Prepares all photographs of a folder. The pictures of each `shard` photographs that can be used
/// become retina-00000.tfrecord and so on, or JPEG files; each has a retina-00000.csv with a line
/// for every photograph. Both are whole or absent, and a later call goes on after the last one.
/// Calls `progress` after each photograph, from one thread at a time. Throws FileError, also when
/// the folder `out` was prepared in another way.
PrepareSummary prepare_retinas(const PrepareRequest& request, const PrepareProgress& progress);

}  // namespace lapcast::workloads
