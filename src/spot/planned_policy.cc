#include "spot/planned_policy.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lapcast {
namespace {

constexpr std::array kChoices{Held::none, Held::spot, Held::on_demand};

}  // namespace

DeadlinePlan::DeadlinePlan(const DeadlineJob& job, const TwoStateSupply& supply)
    : job_(job), supply_(supply) {
  const int most_idle = job.deadline - job.work;
  values_.assign(index(0, job.work + 1, 0, false), 0);
  for (int work = 1; work <= job.work; ++work) {
    for (std::size_t held = 0; held <= 2 * static_cast<std::size_t>(job.restart); ++held)
      for (const bool there : {false, true})
        values_[index(most_idle + 1, work, held, there)] = kLate;
    for (int idle = most_idle; idle >= 0; --idle)
      for (const Held held : kChoices)
        for (int starting = 0; starting < (held == Held::none ? 1 : job.restart); ++starting)
          for (const bool there : {false, true}) {
            float least = kLate;
            for (const Held choice : kChoices)
              least = std::min(least, cost(idle, work, held, starting, there, choice));
            values_[index(idle, work, holding(held, starting), there)] = least;
          }
  }
}

std::size_t DeadlinePlan::holding(Held held, int starting) const {
  if (held == Held::none) return 0;
  return static_cast<std::size_t>(1 + starting + (held == Held::spot ? 0 : job_.restart));
}

std::size_t DeadlinePlan::index(int idle, int work, std::size_t holding, bool there) const {
  const auto idles = static_cast<std::size_t>(job_.deadline - job_.work) + 2;
  const auto holdings = 2 * static_cast<std::size_t>(job_.restart) + 1;
  const std::size_t row = static_cast<std::size_t>(work) * idles + static_cast<std::size_t>(idle);
  return (row * holdings + holding) * 2 + (there ? 1 : 0);
}

float DeadlinePlan::expected(int idle, int work, std::size_t holding, bool there) const {
  const auto chance = static_cast<float>(supply_.chance(there, true));
  return chance * values_[index(idle, work, holding, true)] +
         (1 - chance) * values_[index(idle, work, holding, false)];
}

float DeadlinePlan::cost(int idle, int work, Held held, int starting, bool there,
                         Held choice) const {
  if (choice == Held::spot && !there) return kLate;
  if (choice == Held::none) return expected(idle + 1, work, 0, there);
  const int left = choice == held ? starting : job_.restart;
  const auto price = choice == Held::spot ? static_cast<float>(job_.spot_price) : 1.0f;
  const float rest = left > 0 ? expected(idle + 1, work, holding(choice, left - 1), there)
                              : expected(idle, work - 1, holding(choice, 0), there);
  return std::min(kLate, price + rest);
}

float DeadlinePlan::cost_of(const DeadlineState& state, Held choice) const {
  const int idle = state.tick - (job_.work - state.work_left);
  if (idle > job_.deadline - job_.work) return kLate;
  return cost(idle, state.work_left, state.held, state.starting, state.spot_there(), choice);
}

DeadlinePlans plans_for(const DeadlineJob& job, SupplyPrior prior) {
  DeadlinePlans result{std::move(prior), {}};
  for (const TwoStateSupply& supply : result.prior.supplies)
    result.plans.push_back(DeadlinePlan(job, supply));
  return result;
}

DeadlinePolicy planned_policy(std::shared_ptr<const DeadlinePlans> plans) {
  return [plans, belief = SupplyBelief(plans->prior), seen = std::size_t{0}](
             const DeadlineJob&, const DeadlineState& state) mutable {
    if (state.spot.size() < seen) {
      belief = SupplyBelief(plans->prior);
      seen = 0;
    }
    for (; seen < state.spot.size(); ++seen) belief.observe(state.spot[seen] != 0);
    Held best = Held::on_demand;
    double least = DeadlinePlan::kLate;
    for (const Held choice : kChoices) {
      double cost = 0;
      for (std::size_t i = 0; i < plans->plans.size(); ++i)
        cost += belief.weights()[i] * plans->plans[i].cost_of(state, choice);
      if (cost >= least) continue;
      least = cost;
      best = choice;
    }
    return best;
  };
}

}  // namespace lapcast
