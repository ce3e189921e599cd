#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"

namespace lapcast {

/// Holds the time of all workers together in one stage of preparing images.
struct PrepareStage {
  std::string stage;  // "decode"
  Seconds time{0};
};

/// Counts the images of one size.
struct PictureSize {
  std::int64_t width = 0;   // pixels
  std::int64_t height = 0;  // pixels
  std::int64_t images = 0;
};

/// Counts the image files of a class of sizes, before and after preparation.
struct FileSizes {
  std::int64_t kib = 0;  // largest size of the class; the next smaller class ends at half of it
  std::int64_t before = 0;
  std::int64_t after = 0;
};

struct SkippedImage {
  std::string image;
  std::string reason;
};

/// Holds the report of a program of the suite on the images that it prepared.
struct PreparedSet {
  std::int64_t images = 0;     // of the folder
  std::int64_t earlier = 0;    // of `images`, handled by earlier commands
  std::int64_t prepared = 0;   // by all commands
  std::int64_t shards = 0;     // by all commands
  std::int64_t done = 0;       // handled by this command
  std::int64_t bytes_in = 0;   // read by this command
  std::int64_t bytes_out = 0;  // of the pictures made by this command
  Seconds time{0};             // of this command
  std::vector<PrepareStage> stages;
  std::vector<PictureSize> sizes;
  std::vector<FileSizes> files;
  std::vector<SkippedImage> skipped;
};

/// Reads the report.json that retina-prepare writes (suite/docs/prepare.md). The reason names the
/// member that is missing or has the wrong type.
Result<PreparedSet> parse_prepared_set(std::string_view json);

}  // namespace lapcast
