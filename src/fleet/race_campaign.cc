#include "fleet/race_campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "choose/race_bounds.h"
#include "choose/race_pause.h"
#include "fleet/candidates.h"
#include "fleet/housekeeping.h"
#include "fleet/race_history.h"
#include "probe/ids_and_time.h"
#include "probe/orders.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

/// Of a machine's memory, what suspended programs may hold together.
constexpr double kMemoryForSuspended = 0.5;

bool share_hardware(const ProbeRequest& a, const ProbeRequest& b) {
  if (!a.site.group.empty() && a.site.group == b.site.group) return true;
  if (std::holds_alternative<SlurmPlace>(a.site.place)) return false;  // Slurm keeps them apart
  return a.site.place == b.site.place && share_cpus(a.context.machine_type, b.context.machine_type);
}

class RaceCampaign {
 public:
  RaceCampaign(std::vector<ProbeRequest> requests, const RaceOrder& order, const RunAssessor& assessor,
               Executor& executor, Store& store, Interrupt& interrupt,
               const CampaignListener& listener)
      : order_(order),
        assessor_(assessor),
        executor_(executor),
        store_(store),
        interrupt_(interrupt),
        listener_(listener),
        race_(racers_of(requests, order), order.goal, order.confidence) {
    for (ProbeRequest& request : requests) entries_.push_back({std::move(request)});
  }

  /// Takes over what the store knows of this race.
  void remember(std::span<const Run> earlier) {
    for (std::size_t i = 0; i < entries_.size(); ++i)
      remember(i, history_of(entries_[i].request.context, earlier));
  }

  RaceResult run() {
    while (true) {
      if (interrupt_.count() > interrupts_passed_on_) pass_on_interrupt();
      if (!over() && is_budget_spent()) end_all(order_line(end_of_budget()));
      if (!over()) start_what_can_run();
      if (by_ticket_.empty()) break;
      for (Executor::Event& event : executor_.wait(200ms)) take(event);
      note_removed(store_, executor_, false);
      tell();
    }
    note_removed(store_, executor_, true);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      result_.rows.push_back({race_.racer(i), race_.standing(i), entries_[i].best});
    return std::move(result_);
  }

 private:
  enum class Now { idle, running, suspended, ending };
  struct Entry {
    ProbeRequest request;
    int attempts = 0;  // runs that were started
    bool started_here = false;  // by this command
    std::optional<Executor::Ticket> ticket = {};
    Now now = Now::idle;
    ProbeProgress progress = {};
    std::optional<Run> best = {};       // the run that it is judged by
    std::optional<Run> so_far = {};     // of the run under way
    Seconds looked_at{0};               // how long the run under way had run then
  };

  static std::vector<RaceCandidate> racers_of(const std::vector<ProbeRequest>& requests,
                                      const RaceOrder& order) {
    std::vector<RaceCandidate> racers;
    for (const ProbeRequest& request : requests)
      racers.push_back(racer_of(request.context, order.same_epochs));
    return racers;
  }

  void remember(std::size_t i, const RaceRuns& history) {
    Entry& entry = entries_[i];
    entry.attempts = static_cast<int>(history.runs.size());
    for (const Run* run : history.runs) spend(*run);
    if (const Run* best = history.best()) entry.best = *best;
    if (history.runs.empty()) return;
    const Outcome& last = history.runs.back()->outcome;
    const Run& judged = entry.best ? *entry.best : *history.runs.back();
    if (const auto why = why_out_of_race(last)) return race_.put_out(i, look_at(i, judged), *why);
    if (entry.best) return race_.report(i, look_at(i, judged));
    if (!is_unfinished_in_race(last) && !order_.retry_failed) race_.fail(i, describe(last));
  }

  bool over() const { return order_.finished || result_.interrupted || result_.budget_spent; }

  // What is known -----------------------------------------------------------------------------------

  RaceObservation look_at(std::size_t i, const Run& run) const {
    RaceObservation look{0, run.wall(), std::nullopt, false};
    const Assessment assessment = assessor_(run);
    if (assessment.profile) look.laps = static_cast<std::int64_t>(assessment.profile->laps.size());
    const int attempt = std::max(1, entries_[i].attempts);
    if (const auto total = anytime_total(assessment, race_.error_of_each(attempt)))
      look.total = *total;
    look.measured =
        has_laps(run.outcome) && (order_.finished || !is_unfinished_in_race(run.outcome));
    return look;
  }

  /// A run with fewer laps than an earlier one of the racer says less.
  void judge_by(std::size_t i, const Run& run) {
    Entry& entry = entries_[i];
    const RaceObservation look = look_at(i, run);
    if (!look.measured && entry.best && look.laps < race_.standing(i).look.laps) return;
    entry.best = run;
    race_.report(i, look);
    end_the_decided();
  }

  void end_the_decided() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const RaceStanding& standing = race_.standing(i);
      if (standing.state == RaceState::out) end(i, order_line(out_of_race(standing.reason)));
      if (standing.state == RaceState::decided) end(i, order_line(decided_in_race()));
    }
  }

  void fail(std::size_t i, const Run& run) {
    race_.fail(i, describe(run.outcome));
    end_the_decided();
  }

  // Money and time --------------------------------------------------------------------------------

  void spend(const Run& run) {
    time_spent_ += run.wall();
    if (const auto cost = cost_of_run(run, {})) money_spent_ = saturating_sum(money_spent_, *cost);
  }

  bool is_budget_spent() const {
    Seconds time = time_spent_;
    Money money = money_spent_;
    for (const auto& [ticket, i] : by_ticket_) {
      const Entry& entry = entries_[i];
      time += entry.progress.elapsed;
      const auto& price = entry.request.context.price;
      if (!price) continue;
      if (const auto bill = quote(*price, Interval<Seconds>::exactly(entry.progress.elapsed)))
        money = saturating_sum(money, bill->total.mid);
    }
    return (order_.budget.money && money >= *order_.budget.money) ||
           (order_.budget.time && time >= *order_.budget.time);
  }

  // Rounds ----------------------------------------------------------------------------------------

  void start_what_can_run() {
    for (const std::size_t i : race_.order()) {
      const Now now = entries_[i].now;
      if (now == Now::running || now == Now::ending || is_blocked(i)) continue;
      if (now == Now::suspended)
        go_on(i);
      else
        start(i);
    }
  }

  bool is_blocked(std::size_t i) const {
    return std::any_of(by_ticket_.begin(), by_ticket_.end(), [&](const auto& other) {
      const Entry& entry = entries_[other.second];
      const bool busy = entry.now == Now::running || entry.now == Now::ending;
      return busy && other.second != i && share_hardware(entry.request, entries_[i].request);
    });
  }

  void start(std::size_t i) {
    Entry& entry = entries_[i];
    ProbeRequest& request = entry.request;
    RunContext& context = request.context;
    if (entry.started_here) context.id = new_id();  // the first may have been begun before
    entry.started_here = true;
    context.started_at = utc_now();
    request.store_file = store_.file();
    request.round = race_.next_round(i);
    const bool first_there = places_seen_.insert(context.place).second;
    if (entry.attempts > 0 || !first_there) context.start = StartKind::warm;
    else if (context.start == StartKind::unknown) context.start = StartKind::cold;
    if (!is_here(request.site.place))
      store_.save_pending_run({context.id, context.sweep, "probe", context.place, context.started_at,
                          to_json_line(RemoteRequest{request})});
    if (entry.attempts++ > 0) ++result_.restarts;
    ++result_.rounds;
    entry.so_far.reset();
    entry.progress = {};
    entry.looked_at = Seconds{0};
    entry.now = Now::running;
    entry.ticket = executor_.start(request);
    by_ticket_[*entry.ticket] = i;
  }

  void go_on(std::size_t i) {
    ++result_.rounds;
    entries_[i].now = Now::running;
    executor_.order(*entries_[i].ticket, order_line(race_.next_round(i)));
  }

  void end(std::size_t i, const std::string& order) {
    Entry& entry = entries_[i];
    if (entry.now != Now::running && entry.now != Now::suspended) return;
    entry.now = Now::ending;
    executor_.order(*entry.ticket, order);
  }

  void end_all(const std::string& order) {
    result_.budget_spent = true;
    for (std::size_t i = 0; i < entries_.size(); ++i) end(i, order);
  }

  /// Suspended programs keep their laps; what runs is interrupted.
  void pass_on_interrupt() {
    const bool first = interrupts_passed_on_ == 0;
    interrupts_passed_on_ = interrupt_.count();
    result_.interrupted = true;
    for (std::size_t i = 0; first && i < entries_.size(); ++i)
      end(i, entries_[i].now == Now::suspended ? order_line(end_of_round()) : "stop");
    if (!first) executor_.stop_all();
  }

  void take(Executor::Event& event) {
    const auto found = by_ticket_.find(event.ticket);
    if (found == by_ticket_.end()) return;
    const std::size_t i = found->second;
    if (auto* progress = std::get_if<ProbeProgress>(&event.what))
      entries_[i].progress = std::move(*progress);
    else if (auto* so_far = std::get_if<SuspendedRun>(&event.what))
      round_ended(i, std::move(so_far->run));
    else
      run_ended(i, std::get<Run>(event.what));
  }

  void round_ended(std::size_t i, Run run) {
    Entry& entry = entries_[i];
    if (entry.now != Now::running) return;
    entry.now = Now::suspended;
    entry.so_far = run;
    const Seconds round = run.wall() - entry.looked_at;
    entry.looked_at = run.wall();
    mean_round_ = mean_round_.count() > 0 ? 0.5 * (mean_round_ + round) : round;
    judge_by(i, run);
    if (entry.now == Now::suspended && !over() && race_.order().front() != i &&
        between_rounds(between(i)) == PauseMethod::restart)
      end(i, order_line(end_of_round()));
  }

  void run_ended(std::size_t i, const Run& run) {
    Entry& entry = entries_[i];
    by_ticket_.erase(*entry.ticket);
    store_.add(run);
    executor_.stored(*entry.ticket);
    entry.ticket.reset();
    entry.now = Now::idle;
    spend(run);
    const RaceState state = race_.standing(i).state;
    const bool is_out = state == RaceState::out;
    const bool is_settled = is_out || state == RaceState::decided;
    if (std::holds_alternative<outcome::Interrupted>(run.outcome))
      result_.interrupted = true;
    else if (has_laps(run.outcome))
      is_settled ? void(entry.best = run) : judge_by(i, run);
    else if (!is_out && !is_unfinished_in_race(run.outcome))
      fail(i, run);
    if (listener_.on_run && !is_unfinished_in_race(run.outcome)) listener_.on_run(run);
  }

  // Suspend or start again ------------------------------------------------------------------------

  PauseCosts between(std::size_t i) const {
    const Entry& entry = entries_[i];
    const std::optional<Offer>& price = entry.request.context.price;
    const bool slurm = std::holds_alternative<SlurmPlace>(entry.request.site.place);
    const bool rented = price && std::holds_alternative<OnDemand>(price->terms);
    PauseCosts result;
    if (price) result.price = price->price;
    result.can_be_suspended = !slurm && fits_in_memory(i);
    // What this machine or a machine's other candidates do meanwhile is paid by them.
    result.billed_while_idle =
        rented && !is_here(entry.request.site.place) && !has_work_for_others(i);
    result.wait = mean_round_ * static_cast<double>(before_in_order(i));
    result.again = entry.looked_at;
    return result;
  }

  bool has_work_for_others(std::size_t i) const {
    for (std::size_t other = 0; other < entries_.size(); ++other)
      if (other != i && race_.goes_on(other) &&
          share_hardware(entries_[other].request, entries_[i].request))
        return true;
    return false;
  }

  std::size_t before_in_order(std::size_t i) const {
    const std::vector<std::size_t> order = race_.order();
    return static_cast<std::size_t>(std::find(order.begin(), order.end(), i) - order.begin());
  }

  /// With all that are suspended at the same place; unknown sizes count as nothing.
  bool fits_in_memory(std::size_t i) const {
    double held = 0;
    for (const Entry& entry : entries_)
      if (entry.now == Now::suspended && entry.so_far &&
          entry.request.site.place == entries_[i].request.site.place)
        held += static_cast<double>(entry.so_far->usage.peak_rss_bytes);
    const double memory = static_cast<double>(entries_[i].so_far->context.machine.memory_bytes);
    return memory <= 0 || held <= kMemoryForSuspended * memory;
  }

  void tell() const {
    if (!listener_.on_progress) return;
    CampaignProgress progress{0, entries_.size(), 0, std::nullopt, {}};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (!race_.goes_on(i)) ++progress.done;
      if (race_.standing(i).state == RaceState::failed) ++progress.failed;
      if (entries_[i].now == Now::running)
        progress.running.push_back(
            fmt::format("{}: {}", race_.racer(i).name, entries_[i].progress.state));
    }
    listener_.on_progress(progress);
  }

  const RaceOrder& order_;
  const RunAssessor& assessor_;
  Executor& executor_;
  Store& store_;
  Interrupt& interrupt_;
  const CampaignListener& listener_;
  Race race_;
  std::vector<Entry> entries_;
  std::map<Executor::Ticket, std::size_t> by_ticket_;
  std::set<std::string> places_seen_;  // where a probe was started
  RaceResult result_;
  Money money_spent_;
  Seconds time_spent_{0};
  Seconds mean_round_{0};
  int interrupts_passed_on_ = 0;
};

}  // namespace

RaceCandidate racer_of(const RunContext& context, bool same_epochs) {
  const auto batch = context.settings.find("batch");
  const bool apart = !same_epochs && batch != context.settings.end();
  return {candidate_name(context), apart ? batch->second : "", context.price};
}

RaceResult run_race(std::vector<ProbeRequest> requests, const RaceOrder& order,
                    std::span<const Run> earlier, const RunAssessor& assessor, Executor& executor,
                    Store& store, Interrupt& interrupt, const CampaignListener& listener) {
  RaceCampaign campaign(std::move(requests), order, assessor, executor, store, interrupt, listener);
  campaign.remember(earlier);
  return campaign.run();
}

}  // namespace lapcast
