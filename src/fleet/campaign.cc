#include "fleet/campaign.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "fleet/candidates.h"
#include "fleet/housekeeping.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr auto kTellEvery = 100ms;
constexpr auto kLookEvery = 200ms;

/// Runs each request once.
class PlainPolicy : public CampaignPolicy {
 public:
  explicit PlainPolicy(Campaign& campaign) : campaign_(campaign) {}

  void start_what_can_run() override {
    while (!campaign_.was_interrupted() && campaign_.start_next()) {
    }
  }

  void take_run(Index, const Run& run) override {
    if (!std::holds_alternative<outcome::Interrupted>(run.outcome)) {
      ++result_.finished;
      if (!has_laps(run.outcome)) ++result_.failed;
      spent_ += run.wall();
    }
    campaign_.show(run);
  }

  CampaignProgress progress() const override {
    const std::size_t total = campaign_.requests().size();
    CampaignProgress progress{result_.finished, total, result_.failed, std::nullopt, {}};
    if (result_.finished > 0)
      progress.eta = spent_ / static_cast<double>(result_.finished) *
                     static_cast<double>(total - result_.finished);
    for (const auto& [ticket, index] : campaign_.running())
      progress.running.push_back(fmt::format("{}: {}",
                                             candidate_name(campaign_.requests()[index].context),
                                             campaign_.progress_of(index).state));
    return progress;
  }

  CampaignResult result() const {
    CampaignResult result = result_;
    result.interrupted = campaign_.was_interrupted();
    return result;
  }

 private:
  Campaign& campaign_;
  CampaignResult result_;
  Seconds spent_{0};
};

PendingRun pending_run_of(const ProbeRequest& request) {
  const RunContext& context = request.context;
  return {context.id,    context.sweep,      "probe",
          context.place, context.started_at, to_json_line(RemoteRequest{request})};
}

}  // namespace

Campaign::Campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
                   Interrupt& interrupt, const CampaignListener& listener, UtcClock now)
    : requests_(std::move(requests)),
      schedule_(requests_),
      executor_(executor),
      store_(store),
      interrupt_(interrupt),
      listener_(listener),
      now_(std::move(now)),
      holds_(requests_.size()),
      progress_(requests_.size()) {}

void Campaign::run(CampaignPolicy& policy) {
  while (true) {
    if (interrupt_.count() > interrupts_passed_on_) pass_on_interrupt(policy);
    policy.start_what_can_run();
    if (by_ticket_.empty()) break;
    for (Executor::Event& event : executor_.wait(kLookEvery)) take(event, policy);
    note_removed(store_, executor_, false);
    if (Clock::now() >= tell_at_) tell(policy);
  }
  tell(policy);
  note_removed(store_, executor_, true);
}

void Campaign::pass_on_interrupt(CampaignPolicy& policy) {
  const bool first = interrupts_passed_on_ == 0;
  interrupts_passed_on_ = interrupt_.count();
  interrupted_ = true;
  if (policy.end_at_interrupt(first)) executor_.stop_all();
}

bool Campaign::start_next() {
  const auto index = schedule_.next();
  if (!index) return false;
  holds_[*index] = true;
  begin(*index);
  return true;
}

void Campaign::start(Index index) {
  take_hardware(index);
  begin(index);
}

void Campaign::begin(Index index) {
  ProbeRequest& request = requests_[index];
  RunContext& context = request.context;
  context.started_at = now_();
  request.store_file = store_.file();
  const bool is_first_at_place = places_seen_.insert(context.place).second;
  if (context.start == StartKind::unknown)
    context.start = is_first_at_place ? StartKind::cold : StartKind::warm;
  if (!is_here(request.site.place)) store_.save_pending_run(pending_run_of(request));
  progress_[index] = {};
  tickets_[index] = executor_.start(request);
  by_ticket_[tickets_[index]] = index;
}

void Campaign::order(Index index, const std::string& line) {
  executor_.order(tickets_.at(index), line);
}

void Campaign::leave_hardware(Index index) {
  if (!holds_[index]) return;
  holds_[index] = false;
  schedule_.release(index);
}

void Campaign::take_hardware(Index index) {
  if (holds_[index]) return;
  holds_[index] = true;
  schedule_.take(index);
}

void Campaign::take(Executor::Event& event, CampaignPolicy& policy) {
  const auto found = by_ticket_.find(event.ticket);
  if (found == by_ticket_.end()) return;
  const Index index = found->second;
  if (auto* progress = std::get_if<ProbeProgress>(&event.what)) {
    progress_[index] = std::move(*progress);
  } else if (auto* so_far = std::get_if<SuspendedRun>(&event.what)) {
    policy.take_round(index, std::move(so_far->run));
  } else {
    const Run& run = std::get<Run>(event.what);
    by_ticket_.erase(found);
    tickets_.erase(index);
    leave_hardware(index);
    store_.add(run);
    executor_.stored(event.ticket);
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) interrupted_ = true;
    policy.take_run(index, run);
  }
}

void Campaign::show(const Run& run) const {
  if (listener_.on_run) listener_.on_run(run);
}

void Campaign::tell(const CampaignPolicy& policy) {
  tell_at_ = Clock::now() + kTellEvery;
  if (listener_.on_progress) listener_.on_progress(policy.progress());
}

CampaignResult run_campaign(std::vector<ProbeRequest> requests, Executor& executor, Store& store,
                            Interrupt& interrupt, const CampaignListener& listener,
                            const Campaign::UtcClock& now) {
  Campaign campaign(std::move(requests), executor, store, interrupt, listener, now);
  PlainPolicy policy(campaign);
  campaign.run(policy);
  return policy.result();
}

}  // namespace lapcast
