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

/// Prints a run's warnings, the notes in its lap logs and, if it failed, the last lines that the
/// program printed, on stderr. Leaves out warnings that are in `told`, and adds new ones to it.
void tell_trouble(const Run& run, std::set<std::string>& told);
void tell_trouble(const Run& run);
/// Warns on stderr if others slowed the run's program; returns whether they did.
bool tell_of_others(const Run& run);

/// Shows a campaign on the terminal: its progress with an ETA and the money spent, a live row for
/// each run under way, and a line for each run that ended.
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
  /// Returns ", $9.87, cheapest so far": the cost of the whole training of a probe.
  std::string cost_text(const Run& probe, const Interval<Seconds>& time);

  std::set<std::string> waits_said_;
  std::set<std::string> trouble_told_;
  std::optional<std::pair<Money, Seconds>> cheapest_;
  Money spent_;                  // on the runs that ended
  bool told_of_others_ = false;  // once is enough, although every run may have it
};

}  // namespace lapcast
