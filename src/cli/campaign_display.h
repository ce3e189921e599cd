#pragma once

#include <string>

#include "cli/progress_line.h"
#include "fleet/campaign.h"

namespace lapcast {

/// A campaign on the terminal: a progress line with an ETA, and a line for every run that ended.
class CampaignDisplay {
 public:
  explicit CampaignDisplay(bool quiet) : line_(quiet) {}
  void start(const std::string& what, std::size_t runs);
  void say(const std::string& text) { line_.finished(text); }
  void end() { line_.clear(); }
  CampaignListener listener();

 private:
  void show(const CampaignProgress& progress);
  void show_run(const Run& run);
  ProgressLine line_;
  std::string what_;
  std::string waiting_said_;  // the last line about waiting for another lapcast
  std::size_t total_ = 0;
  std::size_t done_ = 0;
};

}  // namespace lapcast
