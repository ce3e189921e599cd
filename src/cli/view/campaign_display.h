#pragma once

#include <functional>
#include <set>
#include <string>

#include "choose/assessment.h"
#include "cli/view/progress_line.h"
#include "fleet/campaign.h"

namespace lapcast {

/// A campaign on the terminal: how far it is, with an ETA, a live row for each run under way, and a
/// line for every run that ended.
class CampaignDisplay {
 public:
  explicit CampaignDisplay(bool quiet) : line_(quiet) {}
  /// `subject`: what its finished runs are called, before their candidate; empty = nothing more.
  void start(const std::string& what, std::size_t runs, const std::string& subject = "");
  /// Shows with each probe that ended the forecast that this function makes of it.
  void show_forecasts(std::function<Assessment(const Run&)> forecast) {
    forecast_ = std::move(forecast);
  }
  void say(const std::string& text) { line_.finished(text); }
  void end() { line_.clear(); }
  CampaignListener listener();
  void show(const CampaignProgress& progress);
  /// `number`: of this run; 0 = the next.
  void show_run(const Run& run, std::size_t number = 0);

 private:
  std::function<Assessment(const Run&)> forecast_;
  ProgressLine line_;
  std::string what_;
  std::string subject_;
  std::set<std::string> waits_said_;
  std::size_t total_ = 0;
  std::size_t done_ = 0;
};

}  // namespace lapcast
