#include "suite/papers/papers_own_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "history/assessment.h"
#include "query/run_set.h"
#include "run/command_arguments.h"
#include "run/settings.h"

namespace lapcast {
namespace {

/// Turns a batch size in the arguments into a setting, like one from a placeholder.
void take_batch(RunContext& context) {
  auto batch = batch_in_command(context.program);
  if (!batch || context.settings.contains("batch")) return;
  context.program = std::move(batch->program);
  context.settings["batch"] = std::to_string(batch->samples);
}

}  // namespace

bool is_of_workloads(const Run& run, const std::vector<std::string>& workloads) {
  const RunContext& context = run.context;
  return !was_imported(context) &&
         std::ranges::find(workloads, program_name(context)) != workloads.end();
}

std::string device_of(const RunContext& context) {
  const auto setting = context.settings.find("device");
  if (setting != context.settings.end()) return setting->second;
  constexpr std::string_view kDevice = "--device ";
  for (const std::string& argument : training_arguments(context.program))
    if (argument.starts_with(kDevice)) return argument.substr(kDevice.size());
  return "";
}

std::vector<RepeatGroup> groups_for(const PaperFigure& figure, std::span<const Run> runs) {
  std::vector<RepeatGroup> groups;
  for (const std::string& workload : figure.workloads) {
    std::vector<Run> own;
    for (const Run& run : runs)
      if (is_of_workloads(run, {workload}) && !run.context.warm_up) {
        own.push_back(run);
        take_batch(own.back().context);
      }
    for (RepeatGroup& group : repeat_groups(own)) groups.push_back(std::move(group));
  }
  return groups;
}

void name_without_batch(std::vector<RepeatGroup>& groups) {
  std::map<std::string, std::vector<RepeatGroup*>> alike;
  std::map<std::string, int> trainings;  // by name and batch size
  for (RepeatGroup& group : groups) {
    RunContext context = group.runs.front().context;
    context.settings.erase("batch");
    group.settings = settings_of_set(context);
    group.training.clear();
    alike[program_name(context) + " " + name_of(group)].push_back(&group);
  }
  const auto key = [](const std::string& name, const RepeatGroup& group) {
    return fmt::format("{} {} {}", name, group.training, batch_size_of(group.runs.front()));
  };
  for (const auto& [name, members] : alike) {
    std::vector<TrainingWork> works;
    for (const RepeatGroup* group : members) works.push_back({group->work.arguments, 0});
    const std::vector<std::string> texts = differences(works);
    for (std::size_t i = 0; i < members.size(); ++i) members[i]->training = texts[i];
    for (const RepeatGroup* group : members) ++trainings[key(name, *group)];
    // Epochs with equally many laps have different samples only if their batch sizes differ.
    for (RepeatGroup* group : members)
      if (trainings[key(name, *group)] > 1)
        group->training +=
            fmt::format("{}{} samples", group->training.empty() ? "" : ", ", group->work.samples);
  }
}

std::vector<RepeatGroup> by_price(const RepeatGroup& group) {
  std::vector<RepeatGroup> groups;
  for (const Run& run : group.runs) {
    const auto is_same = [&](const RepeatGroup& other) {
      const RunContext& context = other.runs.front().context;
      return context.price == run.context.price && context.offer == run.context.offer;
    };
    auto found = std::ranges::find_if(groups, is_same);
    if (found == groups.end()) {
      found = groups.insert(found, group);
      found->runs.clear();
    }
    found->runs.push_back(run);
  }
  for (RepeatGroup& one : groups)
    if (const auto& price = one.runs.front().context.price; price && groups.size() > 1)
      one.training += (one.training.empty() ? "at $" : " at $") +
                      format_number(price->price.per_hour.dollars()) + "/h";
  return groups;
}

std::string own_name(const PaperFigure& figure, const RepeatGroup& group) {
  const std::string program =
      figure.workloads.size() < 2 ? "" : program_name(group.runs.front().context) + " ";
  return "yours: " + program + name_of(group);
}

std::string settings_and_work(RepeatGroup group) {
  group.machine_type.clear();
  const std::string name = name_of(group);
  return name.empty() ? name : name.substr(1);
}

FigureSeries& own_series(PaperFigure& figure, const std::string& name) {
  auto found = std::ranges::find(figure.series, name, &FigureSeries::name);
  if (found == figure.series.end())
    found = figure.series.insert(found, {.name = name, .points = {}, .is_own = true});
  return *found;
}

}  // namespace lapcast
