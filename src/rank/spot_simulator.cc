#include "rank/spot_simulator.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/hash.h"
#include "forecast/time_cases.h"
#include "rank/odds.h"
#include "spot/checkpoint_interval.h"
#include "spot/lifetimes.h"

namespace lapcast {
namespace {

constexpr std::uint64_t kCommonLuck = 1;

/// Holds how long machines last, and how they come and go.
struct SpotPlace {
  LifetimeDistribution sessions;
  LifetimeDistribution expected;  // with the drift of the supply
  SpotSupply supply;
};

const Spot& terms_of(const Offer& offer) {
  return std::get<Spot>(offer.terms);
}

/// Returns the time of a last checkpoint before an interruption; 0 where the program makes none.
Seconds notice_of(const SpotAssumptions& assumptions, const Offer& offer) {
  if (!assumptions.saves_at_notice) return Seconds{0};
  return assumptions.notice.value_or(Seconds{terms_of(offer).notice_s.value_or(0)});
}

std::optional<Seconds> mean_session(const SpotAssumptions& assumptions, const Offer& offer) {
  if (assumptions.between_interruptions) return assumptions.between_interruptions;
  const auto& hours = terms_of(offer).hours_between_interruptions;
  return hours ? std::optional(Seconds{*hours * 3600}) : std::nullopt;
}

Result<SpotPlace> place_of_trace(const std::vector<PresenceSpan>& trace, double stretch) {
  std::vector<PresenceSpan> spans;
  Seconds end{0};
  for (const PresenceSpan& span : trace) {
    const double factor = span.presence == Presence::there ? stretch : 1;
    spans.push_back({end, end + factor * span.length(), span.presence});
    end = spans.back().end;
  }
  auto sessions = LifetimeDistribution::of(lifetimes_of(spans, Presence::there));
  if (!sessions) return tl::unexpected(sessions.error());
  SupplyConstants constants;
  constants.session.prior_mean *= stretch;
  auto supply = supply_like(spans, constants);
  if (!supply) return tl::unexpected(supply.error());
  auto expected = sessions_after(spans, constants);
  if (!expected) return tl::unexpected(expected.error());
  return SpotPlace{*std::move(sessions), *std::move(expected), *std::move(supply)};
}

Result<SpotPlace> place_of(const SpotAssumptions& assumptions, const Offer& offer, double stretch) {
  if (!assumptions.trace.empty()) return place_of_trace(assumptions.trace, stretch);
  const auto sessions =
      LifetimeDistribution::exponential(*mean_session(assumptions, offer) * stretch);
  if (!sessions) return tl::unexpected(sessions.error());
  std::optional<LifetimeDistribution> waits;
  if (assumptions.wait && assumptions.wait->count() > 0) {
    auto made = LifetimeDistribution::exponential(*assumptions.wait);
    if (!made) return tl::unexpected(made.error());
    waits = *std::move(made);
  }
  return SpotPlace{*sessions, *sessions, supply_of(*sessions, std::move(waits))};
}

/// Returns the interval of the assumptions, or the best one for these machines.
Result<Seconds> interval_of(const SpotAssumptions& assumptions, const CheckpointCosts& costs,
                            const LifetimeDistribution& sessions) {
  if (!assumptions.saves) return kNoInterval;
  if (assumptions.interval) return *assumptions.interval;
  if (costs.checkpoint.count() == 0) return Seconds{1};  // saving costs nothing
  return best_interval(sessions, costs).map([](const CheckpointPlan& plan) {
    return plan.interval;
  });
}

CheckpointCosts costs_of(const SpotAssumptions& assumptions, const Candidate& candidate,
                         const Offer& offer, Seconds before) {
  CheckpointCosts costs;
  costs.restart = before + assumptions.restart.value_or(Seconds{candidate.start_s});
  // A job that saves nothing makes no checkpoint: this cost only prevents the use of a notice.
  costs.checkpoint = Seconds{1};
  if (!assumptions.saves) return costs;
  costs.checkpoint = assumptions.checkpoint ? *assumptions.checkpoint
                                            : Seconds{candidate.checkpoint_s.value_or(0)};
  costs.notice = notice_of(assumptions, offer);
  return costs;
}

}  // namespace

std::optional<Reason> SpotSimulator::what_is_missing(const Candidate& candidate,
                                                     const Offer& offer) const {
  if (assumptions_.trace.empty() && !mean_session(assumptions_, offer))
    return Reason{
        "how often they are interrupted is not known (--interruptions TIME or --spot-trace FILE)"};
  if (assumptions_.saves && !assumptions_.checkpoint && !candidate.checkpoint_s)
    return Reason{"what a checkpoint takes was not measured (--checkpoint TIME, or none)"};
  return std::nullopt;
}

Result<std::shared_ptr<const SpotTraining>> SpotSimulator::training(const Candidate& candidate,
                                                                    const Offer& offer,
                                                                    double stretch) {
  if (stretch != 1) return simulate(candidate, offer, stretch);
  const bool from_trace = !assumptions_.trace.empty();
  const Seconds mean = from_trace ? Seconds{0} : *mean_session(assumptions_, offer);
  const Key key{&candidate, mean.count(), notice_of(assumptions_, offer).count(),
                boot_time_ns(offer, candidate.demand.before)};
  if (const auto made = made_.find(key); made != made_.end()) return made->second;
  return made_.emplace(key, simulate(candidate, offer, stretch)).first->second;
}

Result<std::shared_ptr<const SpotTraining>> SpotSimulator::simulate(const Candidate& candidate,
                                                                    const Offer& offer,
                                                                    double stretch) const {
  auto place = place_of(assumptions_, offer, stretch);
  if (!place) return tl::unexpected(place.error());
  const Seconds before = from_ns(boot_time_ns(offer, candidate.demand.before)) +
                         candidate.demand.before.preparation + candidate.demand.before.data_in;
  auto training = std::make_shared<SpotTraining>();
  SpotJob& job = training->job;
  job.work = candidate.time->mid;
  job.costs = costs_of(assumptions_, candidate, offer, before);
  job.first_start = before;
  const auto interval = interval_of(assumptions_, job.costs, place->expected);
  if (!interval) return tl::unexpected(interval.error());
  job.interval = *interval;
  training->saves = assumptions_.saves;
  training->between_interruptions = place->sessions.mean();
  training->supply = std::move(place->supply);
  auto cases = simulated_cases(job, time_cases(*candidate.time), training->supply, kCommonLuck);
  if (!cases) return tl::unexpected(cases.error());
  training->cases = *std::move(cases);
  auto forecast = forecast_of_cases(job, training->cases, training->supply, kCommonLuck);
  if (!forecast) return tl::unexpected(forecast.error());
  training->forecast = *std::move(forecast);
  return training;
}

SpotCases cases_of_own_luck(const Choice& choice) {
  Fnv1a luck;
  for (const std::string& name :
       {choice.offer->name, choice.candidate->machine_type, choice.candidate->settings}) {
    luck.add(name);
    luck.add_unit(0);
  }
  auto cases = simulated_cases(choice.spot->job, time_cases(*choice.candidate), choice.spot->supply,
                               luck.value());
  return cases ? *std::move(cases) : choice.spot->cases;
}

}  // namespace lapcast
