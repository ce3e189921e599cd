#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/measuring.h"
#include "suite/driver/pictures.h"
#include "suite/driver/repeat_runs.h"
#include "suite/driver/suite_options.h"
#include "suite/driver/workload.h"

namespace lapcast {

/// Holds the options of the workload mask-rcnn.
struct PictureOptions {
  std::string sizes;        // empty = the workload's own
  std::int64_t images = 0;  // searched by each run; 0 = three

  void add_to(CLI::App& app);
  /// Returns the sizes of the pictures. Throws Error (usage).
  std::vector<std::string> image_sizes(const Workload& workload) const;
};

/// Refers to a program of the suite and its options; `more` are arguments for it.
struct SuiteProgram {
  const Workload& workload;
  const SuiteOptions& options;
  const std::vector<std::string>& more;
};

struct PictureOutcome {
  std::vector<PictureRuns> pictures;
  bool interrupted = false;
};

/// Searches pictures of each size on all cores and on the GPU if there is one (--device cuda or
/// both always uses it, --device cpu never). A mode that fails is a row with its reason, and is not
/// tried on later sizes.
PictureOutcome run_pictures(const SuiteProgram& program, const PictureOptions& options,
                            RepeatedRuns& runs);

/// Does the same on every machine of a fleet; uses the GPU with --device cuda or both, or if this
/// machine has one. Throws Error as run_repeats() does.
PictureOutcome run_pictures_on_fleet(const SuiteProgram& program, const PictureOptions& options,
                                     SuiteFleetOptions fleet, const MeasuringTools& tools);

}  // namespace lapcast
