#include "campaign/chosen_campaign.h"

#include <utility>
#include <variant>

namespace lapcast {
namespace {

class ChosenPolicy : public CampaignPolicy {
 public:
  ChosenPolicy(Campaign& campaign, const ProbeChooser& choose, std::vector<Run> earlier)
      : campaign_(campaign),
        choose_(choose),
        runs_(std::move(earlier)),
        is_done_(campaign.requests().size()) {}

  void start_what_can_run() override {
    if (campaign_.was_interrupted() || is_over_ || !campaign_.running().empty()) return;
    if (!chosen_) chosen_ = next();
    is_over_ = !chosen_;
    if (chosen_ && campaign_.may_run(*chosen_)) campaign_.start(*chosen_);
  }

  void take_run(Index index, const Run& run) override {
    chosen_.reset();
    is_done_[index] = true;
    if (!std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      ++result_.finished;
      if (!has_laps(run.outcome)) ++result_.failed;
      runs_.push_back(run);
    }
    campaign_.show(run);
  }

  void take_so_far(Index index, Run run) override { campaign_.save(index, run); }

  bool wants(Index index) const override { return chosen_ == index; }

  CampaignProgress progress() const override {
    CampaignProgress progress{result_.finished, is_done_.size(), result_.failed, std::nullopt, {}};
    for (const auto& [ticket, index] : campaign_.running())
      progress.running.push_back(campaign_.under_way(index));
    return progress;
  }

  CampaignResult result() const {
    CampaignResult result = result_;
    result.interrupted = campaign_.was_interrupted();
    return result;
  }

 private:
  std::optional<Index> next() const {
    const auto name = choose_(runs_);
    for (Index i = 0; name && i < is_done_.size(); ++i)
      if (!is_done_[i] && campaign_.requests()[i].context.machine_type.name == *name) return i;
    return std::nullopt;
  }

  Campaign& campaign_;
  const ProbeChooser& choose_;
  std::vector<Run> runs_;
  std::vector<bool> is_done_;
  std::optional<Index> chosen_;  // waits for its machine, or runs
  bool is_over_ = false;
  CampaignResult result_;
};

}  // namespace

CampaignResult run_chosen(std::vector<ProbeRequest> requests, const ProbeChooser& choose,
                          std::vector<Run> earlier, CampaignTools tools) {
  Campaign campaign(std::move(requests), std::move(tools));
  ChosenPolicy policy(campaign, choose, std::move(earlier));
  campaign.run(policy);
  return policy.result();
}

}  // namespace lapcast
