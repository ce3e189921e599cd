#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "choose/assessment.h"
#include "fleet/campaign.h"

namespace lapcast {

/// Is told what a use case does while it goes on; each function does nothing unless it is
/// overridden.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  /// Begins a stage of so many runs. `subject` names its runs; empty: their candidates do.
  virtual void start([[maybe_unused]] const std::string& what, [[maybe_unused]] std::size_t runs,
                     [[maybe_unused]] const std::string& subject = "") {}
  /// Takes the forecast to be shown with each run of the stage that ends.
  virtual void show_forecasts(std::function<Assessment(const Run&)>) {}
  virtual void show([[maybe_unused]] const CampaignProgress& progress) {}
  /// Takes a run that ended and was stored. `number` counts the stage's runs from 1; 0 = the next.
  virtual void show_run([[maybe_unused]] const Run& run, [[maybe_unused]] std::size_t number = 0) {}
  /// Takes one line about what goes on.
  virtual void say([[maybe_unused]] const std::string& line) {}
  /// Takes one line that the user must see, also one who asked for no progress.
  virtual void warn([[maybe_unused]] const std::string& line) {}
  /// Ends the stage.
  virtual void end() {}

  /// Returns a listener for run_campaign() that calls show() and show_run().
  CampaignListener campaign() {
    return {[this](const CampaignProgress& progress) { show(progress); },
            [this](const Run& run) { show_run(run); }};
  }
};

}  // namespace lapcast
