#include "campaign/measuring_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/campaign.h"
#include "campaign/rounds_campaign.h"

namespace lapcast {

MeasuringSession::MeasuringSession(const MeasuringTools& tools, std::optional<SweepLock> lock,
                                   const std::string& run_parent)
    : tools_(tools), lock_(std::move(lock)) {
  if (!lock_) throw Error(ExitCode::interrupted, "interrupted; nothing was measured");
  remove_stale_run_folders_and_cgroups(run_parent);
  remove_leftovers(tools_.store, tools_.executor);
}

Sweep MeasuringSession::begin(const WantedSweep& wanted, const std::string& subject) const {
  auto [sweep, said] = find_or_begin(tools_.store, wanted);
  for (const std::string& line : said) say(subject.empty() ? line : subject + ": " + line);
  return std::move(sweep);
}

std::vector<Run> MeasuringSession::runs_of(const Sweep& sweep) const {
  return tools_.store.runs({.sweep = sweep.id, .own = true});
}

void MeasuringSession::save(Sweep& sweep, bool is_finished) const {
  sweep.finished = is_finished;
  tools_.store.save_sweep(sweep);
}

CampaignResult MeasuringSession::run(const std::string& stage, std::vector<ProbeRequest> requests,
                                     int rounds, const RunAssessor& forecast) {
  tools_.listener.start({.what = stage, .runs = requests.size(), .forecast = forecast});
  CampaignResult result = rounds > 1 ? run_in_rounds(std::move(requests), rounds, tools_.campaign())
                                     : run_campaign(std::move(requests), tools_.campaign());
  tools_.listener.end();
  interrupted_ = interrupted_ || result.interrupted;
  return result;
}

CampaignResult MeasuringSession::choose(const std::string& stage,
                                        std::vector<ProbeRequest> requests,
                                        const ProbeChooser& choose, std::vector<Run> earlier,
                                        const RunAssessor& forecast) {
  tools_.listener.start({.what = stage, .runs = requests.size(), .forecast = forecast});
  CampaignResult result =
      run_chosen(std::move(requests), choose, std::move(earlier), tools_.campaign());
  tools_.listener.end();
  interrupted_ = interrupted_ || result.interrupted;
  return result;
}

RaceResult MeasuringSession::race(const std::string& stage, std::vector<ProbeRequest> requests,
                                  const RaceRequest& order, std::span<const Run> earlier,
                                  const RunAssessor& assessor) {
  tools_.listener.start({stage, requests.size()});
  RaceResult result = run_race(std::move(requests), order, earlier, assessor, tools_.campaign());
  tools_.listener.end();
  interrupted_ = interrupted_ || result.interrupted;
  return result;
}

RepeatsResult MeasuringSession::repeat(const std::string& stage,
                                       std::vector<RepeatedCandidate> candidates,
                                       const RepeatRule& rule, std::size_t warm_ups,
                                       const RepeatValue& value, const std::string& subject) {
  std::size_t made = 0, expected = 0;
  for (const RepeatedCandidate& candidate : candidates) {
    made += candidate.values.size() + candidate.warm_ups;
    expected += std::max(warm_ups, candidate.warm_ups) + expected_runs(candidate.values, rule);
  }
  if (made > 0)
    say(fmt::format("{}going on with set {}: {} runs were done{}",
                    subject.empty() ? "" : subject + ": ", candidates.front().request.context.sweep,
                    made, made < expected ? "" : "; --again begins a new set"));
  tools_.listener.start({stage, expected, made, subject});
  RepeatsResult result =
      run_repeatedly(std::move(candidates), rule, warm_ups, value, tools_.campaign());
  tools_.listener.end();
  interrupted_ = interrupted_ || result.interrupted;
  return result;
}

}  // namespace lapcast
