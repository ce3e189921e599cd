#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "campaign/campaign.h"
#include "campaign/measuring.h"
#include "cli/progress_line.h"
#include "core/error.h"
#include "history/assessment.h"

namespace lapcast {

/// Prints a run's warnings, the notes in its lap logs and, when it failed, the last lines that the
/// program printed, on stderr. Warnings that were `told` are left out, and new ones added to it.
void tell_trouble(const Run& run, std::set<std::string>& told);
void tell_trouble(const Run& run);

/// Shows a campaign on the terminal: how far it is, with an ETA and what was spent, a live row for
/// each run under way, and a line for every run that ended.
class CampaignDisplay : public ProgressListener {
 public:
  explicit CampaignDisplay(bool quiet) : line_(quiet) {}
  void start(const Stage& stage) override;
  void say(const std::string& text) override { line_.finished(text); }
  void warn(const std::string& line) override;
  void end() override { line_.clear(); }
  void show(const CampaignProgress& progress) override;
  void show_run(const Run& run) override;

 private:
  ProgressLine line_;
  Stage stage_;
  /// Returns ", $9.87, cheapest so far": what the whole training of a probe costs.
  std::string cost_text(const Run& probe, const Interval<Seconds>& time);

  std::set<std::string> waits_said_;
  std::set<std::string> trouble_told_;
  std::optional<Money> cheapest_;
  Money spent_;                  // on the runs that ended
  bool told_of_others_ = false;  // once is enough; `show` tells it of each run
};

}  // namespace lapcast
