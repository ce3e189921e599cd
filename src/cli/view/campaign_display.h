#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "app/progress_listener.h"
#include "choose/assessment.h"
#include "cli/view/progress_line.h"
#include "fleet/campaign.h"

namespace lapcast {

/// Shows a campaign on the terminal: how far it is, with an ETA, a live row for each run under way,
/// and a line for every run that ended.
class CampaignDisplay : public ProgressListener {
 public:
  explicit CampaignDisplay(bool quiet) : line_(quiet) {}
  void start(const std::string& what, std::size_t runs, const std::string& subject = "") override;
  /// Shows with each probe that ended the forecast that this function makes of it.
  void show_forecasts(std::function<Assessment(const Run&)> forecast) override {
    forecast_ = std::move(forecast);
  }
  void say(const std::string& text) override { line_.finished(text); }
  void warn(const std::string& line) override;
  void end() override { line_.clear(); }
  void show(const CampaignProgress& progress) override;
  void show_run(const Run& run, std::size_t number = 0) override;

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
