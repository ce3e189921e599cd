#include "rank/race_result.h"

#include <algorithm>
#include <map>
#include <utility>

#include "forecast/stopping_rule.h"
#include "rank/ranking.h"
#include "run/attempts.h"

namespace lapcast {
namespace {

void add(Expense& sum, Seconds time, const std::optional<Offer>& price) {
  sum.time += time;
  if (!price) return;
  if (const auto bill = quote(*price, Interval<Seconds>::exactly(time)))
    sum.cost = saturating_sum(sum.cost, bill->total.mid);
}

/// Adds up the started rows; `time_of` returns the time of each.
template <class TimeOf>
Expense sum_of(std::span<const RaceRow> rows, std::span<const Assessment> assessments,
               TimeOf time_of) {
  Expense sum;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].run) add(sum, time_of(rows[i], assessments[i]), rows[i].candidate.price);
  return sum;
}

/// Raises the time of a candidate that is out to the bounds that put it out.
Interval<Seconds> as_known(const RaceRow& row, Interval<Seconds> time) {
  const std::optional<Interval<Seconds>>& bounds = row.standing.observed.total;
  if (row.standing.state != RaceState::out || !bounds) return time;
  time.low = std::max(time.low, bounds->low);
  time.mid = std::max(time.mid, time.low);
  time.high = std::max(time.high, time.mid);
  return time;
}

/// Holds the rows of a group as candidates and offers that match one to one: the name of an offer
/// is the number of its row.
struct Group {
  std::vector<Candidate> candidates;
  std::vector<Offer> offers;
  std::size_t not_known = 0;
};

bool is_known(const RaceRow& row, const Assessment& assessment) {
  return row.run && assessment.forecast && row.standing.state != RaceState::failed;
}

/// Adds the candidate of row number `index`, whose forecast is known, under an offer of its own.
void add_known(Group& group, const RaceRow& row, const Assessment& assessment, std::size_t index,
               Offer offer) {
  Candidate candidate = candidate_of(*row.run, assessment);
  // Cases of its machine's moments already include the error that few laps leave.
  if (!candidate.cases) candidate.time = as_known(row, *candidate.time);
  candidate.offer = offer.name = std::to_string(index);  // matches only its own price
  group.candidates.push_back(std::move(candidate));
  group.offers.push_back(std::move(offer));
}

/// Stands for the price of a row where none has one and times are compared.
Offer free_offer() {
  Offer offer;
  offer.billing = {0, 0};
  return offer;
}

std::map<std::string, Group> groups_of(std::span<const RaceRow> rows,
                                       std::span<const Assessment> assessments, bool is_priced) {
  std::map<std::string, Group> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RaceRow& row = rows[i];
    Group& group = groups[row.candidate.group];
    if (is_known(row, assessments[i]) && (row.candidate.price || !is_priced))
      add_known(group, row, assessments[i], i, row.candidate.price.value_or(free_offer()));
    else
      ++group.not_known;
  }
  return groups;
}

/// Returns nullopt if no candidate of the group can be ranked.
std::optional<RacePick> pick_of(const std::string& name, const Group& group, RaceGoal measure) {
  const bool by_cost = measure == RaceGoal::cost;
  const Ranking ranking =
      rank(group.candidates, group.offers, {.by = by_cost ? Objective::cost : Objective::time});
  if (ranking.chosen.empty()) return std::nullopt;
  const Choice& first = ranking.chosen.front();
  return RacePick{measure,
                  name,
                  std::stoul(first.offer->name),
                  first.quote.time,
                  first.quote.total,
                  1 - (by_cost ? first.p_cheapest : first.p_fastest),
                  ranking.expected_regret,
                  group.not_known + group.candidates.size() - ranking.chosen.size()};
}

}  // namespace

bool any_is_priced(std::span<const RaceRow> rows) {
  return std::ranges::any_of(rows,
                             [](const RaceRow& row) { return row.candidate.price.has_value(); });
}

std::vector<RacePick> picks_of(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments, RaceGoal goal) {
  const bool is_priced = any_is_priced(rows);
  if (!is_priced) goal = RaceGoal::time;
  std::vector<RacePick> picks;
  for (const auto& [name, group] : groups_of(rows, assessments, is_priced)) {
    if (group.candidates.empty()) continue;
    for (const RaceGoal measure : {RaceGoal::cost, RaceGoal::time})
      if (goal == RaceGoal::front || goal == measure)
        if (auto pick = pick_of(name, group, measure)) picks.push_back(std::move(*pick));
  }
  return picks;
}

std::vector<double> chances_of_fastest(std::span<const RaceRow> rows,
                                       std::span<const Assessment> assessments) {
  Group all;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_known(rows[i], assessments[i])) add_known(all, rows[i], assessments[i], i, free_offer());
  std::vector<double> chances(rows.size());
  const Ranking ranking = rank(all.candidates, all.offers, {.by = Objective::time});
  for (const Choice& choice : ranking.chosen)
    chances[std::stoul(choice.offer->name)] = choice.p_fastest;
  return chances;
}

Seconds plain_probe_time(const LapProfile& profile, Seconds ran, const PlainProbes& probes) {
  std::vector<double> laps;
  for (const Seconds lap : profile.laps) laps.push_back(lap.count());
  const StoppingRule rule{probes.precision};
  const bool are_shared = profile.steady.observations < profile.steady.laps;
  const Verdict verdict = are_shared ? judge(profile.steady, rule) : judge(laps, rule);
  const Seconds lap = verdict.steady_lap.count() > 0 ? verdict.steady_lap : profile.first_lap;
  const auto later = static_cast<double>((probes.rounds - 1) * laps_of_later_round(lap));
  const Seconds time = ran + lap * (static_cast<double>(verdict.laps_needed) + later);
  return probes.budget.count() > 0 ? std::min(time, std::max(probes.budget, ran)) : time;
}

Expense cost_of_plain_probes(std::span<const RaceRow> rows, std::span<const Assessment> assessments,
                             const PlainProbes& probes) {
  return sum_of(rows, assessments, [&](const RaceRow& row, const Assessment& assessment) {
    const Seconds ran = row.run->wall();
    if (!assessment.profile || row.standing.state == RaceState::failed) return ran;
    PlainProbes its = probes;
    if (row.candidate.in_one_piece || row.run->context.machine_type.exclusive) its.rounds = 1;
    return plain_probe_time(*assessment.profile, ran, its);
  });
}

Expense cost_of_everything(std::span<const RaceRow> rows, std::span<const Assessment> assessments) {
  return sum_of(rows, assessments, [](const RaceRow& row, const Assessment& assessment) {
    return assessment.forecast ? assessment.forecast->total.mid : row.run->wall();
  });
}

Seconds time_to_first_laps(std::span<const Assessment> assessments) {
  Seconds sum{0};
  for (const Assessment& each : assessments)
    if (each.profile) sum += each.profile->init;
  return sum;
}

Expense cost_of_runs(std::span<const Run> runs) {
  Expense cost;
  for (const Run& run : runs) add(cost, time_of_attempts(run), run.context.price);
  return cost;
}

}  // namespace lapcast
