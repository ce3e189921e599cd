#include "report/plan_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <variant>

#include "core/units.h"
#include "forecast/plan.h"
#include "history/time_by_epochs.h"
#include "report/cells.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

/// Returns the epochs or iterations of the whole training.
std::string whole_length(const TrainingPlan& plan) {
  return plan.epochs > 0 ? counted(plan.epochs, "epoch") : counted(plan.steps, "iteration");
}

}  // namespace

std::string plan_text(const TrainingPlan& plan) {
  const bool in_epochs = plan.epochs > 0;
  const std::int64_t left =
      in_epochs ? plan.epochs - plan.epochs_done : plan.steps - plan.laps_done;
  std::string text = whole_length(plan);
  if (is_resumed(plan)) text = fmt::format("the last {} of {}", left, text);
  if (plan.training_samples > 0)
    text += (in_epochs ? " of " : ", in epochs of ") + counted(plan.training_samples, "sample");
  if (plan.validation_samples > 0)
    text += fmt::format(", each validated on {}", plan.validation_samples);
  return text;
}

std::optional<std::string> text_of_whole(const Run& run, const Assessment& assessment) {
  const auto time = time_of_whole(assessment);
  if (!time) return std::nullopt;
  std::string text = fmt::format("the whole training, {} from its start: {}",
                                 whole_length(*assessment.plan), format_duration(*time));
  if (!run.context.price) return text;
  const PricedCell cost = cost_cell(&*run.context.price, Interval<Seconds>::exactly(*time));
  if (const auto* const bounds = std::get_if<Interval<Money>>(&cost.cell))
    text += ", " + for_people(bounds->mid);
  return text;
}

}  // namespace lapcast
