#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/executor.h"
#include "history/assessment.h"
#include "probe/ids_and_time.h"
#include "probe/interrupt.h"
#include "query/sweep_state.h"
#include "store/store.h"

namespace lapcast {

struct Stage {
  std::string what;          // "probing"
  std::size_t runs = 0;      // in all
  std::size_t done = 0;      // of these, by earlier commands
  std::string subject = {};  // names its runs; empty = their candidates do
  std::function<Assessment(const Run&)> forecast = {};  // shown with each run that ends
};

/// Receives the progress of a command that measures; each function does nothing unless it is
/// overridden.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  virtual void start([[maybe_unused]] const Stage& stage) {}
  virtual void show([[maybe_unused]] const CampaignProgress& progress) {}
  /// Takes a run of the stage after it ended and was stored.
  virtual void show_run([[maybe_unused]] const Run& run) {}
  /// Takes one line of information.
  virtual void say([[maybe_unused]] const std::string& line) {}
  /// Takes one line that the user must see, even with --quiet.
  virtual void warn([[maybe_unused]] const std::string& line) {}
  /// Ends the stage.
  virtual void end() {}

  /// Returns a listener for run_campaign() that calls show() and show_run().
  CampaignListener campaign() {
    return {[this](const CampaignProgress& progress) { show(progress); },
            [this](const Run& run) { show_run(run); }};
  }
};

/// All references must outlive the object.
struct MeasuringTools {
  Store& store;
  Executor& executor;
  Interrupt& interrupt;
  ProgressListener& listener;
  std::function<std::string()> now = utc_now;  // in UTC
  MachineSupply* supply = nullptr;             // of machines that have to be rented; nullptr = none

  /// Waits until no other lapcast measures the same on this store, and tells the listener about the
  /// wait. `key` identifies what is measured; `what` is its name in messages ("sweep 3fb0").
  /// Returns nothing when the user interrupted the wait. Where the file system has no locks it
  /// warns and goes on.
  std::optional<SweepLock> lock(const std::string& key, const std::string& what) const;

  /// Returns the tools of a campaign that reports to the listener.
  CampaignTools campaign() const {
    return {executor, store, interrupt, listener.campaign(), now, supply};
  }
};

}  // namespace lapcast
