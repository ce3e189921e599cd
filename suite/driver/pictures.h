#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "run/run.h"

namespace lapcast {

/// Parses "1152x1600,443x760", rows x columns of pictures, into the sizes, in order and without
/// duplicates. Throws Error (usage).
std::vector<std::string> parse_image_sizes(std::string_view text);

/// Lists the devices that search pictures for objects, as in table 3 of Carneiro 2018.
enum class PictureMode { cores, gpu };
std::string_view name_of(PictureMode mode);  // "multithreaded", "GPU"

/// Holds the metrics of one run of mask-rcnn: `seconds` (mean time of a picture) and `objects`.
struct PictureResult {
  double seconds = 0;
  double objects = 0;
};
/// Returns the result, or the reason why there is none: the run failed, or a metric is missing or
/// is not a valid number.
Result<PictureResult> picture_result(const Run& run);

/// Holds all runs on pictures of one size in one mode.
struct PictureRuns {
  std::string size;  // "443x760"
  PictureMode mode = PictureMode::cores;
  std::string machine;          // machine type of a fleet; empty = this machine
  std::vector<double> seconds;  // per picture, for each run
  double objects = 0;           // found in the last run
  std::string reason;           // why there are not more runs; empty = enough
};

/// Returns the size and the mode of a run of mask-rcnn, without results; nullopt for a run of
/// another program.
std::optional<PictureRuns> pictures_of(const RunContext& context);

/// Adds the results of the runs that are not a warm-up. If no run has a result, the reason says why
/// the last one has none.
void add_results(PictureRuns& pictures, std::span<const Run> runs);

}  // namespace lapcast
