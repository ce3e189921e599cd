#include "suite/driver/suite_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <utility>

#include "campaign/fleet_repeats.h"

namespace lapcast {
namespace {

/// Sets how often a run searches its picture: ten runs together do as many searches as [C].
constexpr std::int64_t kImagesOfRun = 3;

std::vector<PictureMode> picture_modes(const SuiteOptions& options, bool on_fleet) {
  std::vector<PictureMode> modes{PictureMode::cores};
  if (wants_gpu(options.device, on_fleet)) modes.push_back(PictureMode::gpu);
  return modes;
}

Result<double> seconds_of_picture(const Run& run) {
  const auto result = picture_result(run);
  if (!result) return tl::unexpected(result.error());
  return result->seconds;
}

RunContext picture_context(const SuiteProgram& program, const PictureOptions& options,
                           const std::string& size, PictureMode mode) {
  const std::int64_t images = options.images > 0 ? options.images : kImagesOfRun;
  return suite_context({workload_program(program.workload.name).string()},
                       {{"sizes", size},
                        {"repeats", number_text(images)},
                        {"device", mode == PictureMode::gpu ? "cuda" : "cpu"},
                        {"threads", number_text(program.options.threads)}},
                       program.more, program.options);
}

}  // namespace

void PictureOptions::add_to(CLI::App& app) {
  add_options(app,
              {{"--sizes LIST", &sizes,
                "mask-rcnn: sizes of its pictures, rows x columns [1152x1600,686x1024,443x760]"},
               {"--images N", &images, "mask-rcnn: how often each run searches its picture [3]",
                up_to(1'000'000)}});
}

std::vector<std::string> PictureOptions::image_sizes(const Workload& workload) const {
  return parse_image_sizes(sizes.empty() ? workload.image_sizes : sizes);
}

PictureOutcome run_pictures(const SuiteProgram& program, const PictureOptions& options,
                            RepeatedRuns& runs) {
  PictureOutcome outcome;
  std::set<PictureMode> failed;
  for (const std::string& size : options.image_sizes(program.workload))
    for (const PictureMode mode : picture_modes(program.options, false)) {
      if (outcome.interrupted || failed.contains(mode)) continue;
      const RunSet set = runs.complete(
          picture_context(program, options, size, mode),
          fmt::format("{} {}, {}", program.workload.name, size, name_of(mode)), seconds_of_picture);
      outcome.interrupted = set.interrupted;
      PictureRuns& pictures = outcome.pictures.emplace_back(PictureRuns{size, mode, {}, {}, 0, {}});
      add_results(pictures, set.runs);
      if (set.reason.empty()) continue;
      pictures.reason = set.reason;
      failed.insert(mode);
    }
  return outcome;
}

PictureOutcome run_pictures_on_fleet(const SuiteProgram& program, const PictureOptions& options,
                                     SuiteFleetOptions fleet, const MeasuringTools& tools) {
  const std::vector<std::string> sizes = options.image_sizes(program.workload);
  fleet.fleet_file = std::filesystem::absolute(fleet.fleet_file).string();
  std::vector<FleetRepeatPlan> plans;
  for (const PictureMode mode : picture_modes(program.options, true)) {
    FleetRepeatRequest request =
        fleet_request(program.workload, picture_context(program, options, sizes.front(), mode),
                      program.options, fleet);
    request.sweep.values["sizes"] = sizes;
    request.value = seconds_of_picture;
    plans.push_back(plan_repeats(std::move(request)));
  }
  PictureOutcome outcome;
  for (const FleetRepeatPlan& plan : plans) {
    if (outcome.interrupted) break;
    const FleetRepeatResult repeats = run_repeats(plan, tools);
    outcome.interrupted = repeats.interrupted;
    for (std::size_t i = 0; i < repeats.groups.size(); ++i) {
      const RepeatGroup& group = repeats.groups[i];
      PictureRuns pictures = pictures_of(plan.sweep.candidates[i]).value_or(PictureRuns{});
      pictures.machine = group.machine_type;
      add_results(pictures, group.runs);
      if (!group.reason.empty()) pictures.reason = group.reason;
      outcome.pictures.push_back(std::move(pictures));
    }
  }
  return outcome;
}

}  // namespace lapcast
