// These tests check properties of every ranking, over seeded random inputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "rank/ranking.h"
#include "rank/ranking_fixture_test.h"

namespace lapcast {
namespace {

struct Inputs {
  std::vector<Candidate> candidates;
  std::vector<Offer> offers;
  Preferences preferences;
};

std::string some_name(std::mt19937_64& random, const char* prefix) {
  return prefix + std::to_string(random() % 6);
}

/// Returns inputs with whole seconds at whole nano-dollars per second: bills are exact, so they
/// scale exactly.
Inputs some_inputs(std::mt19937_64& random) {
  Inputs inputs;
  for (std::size_t i = random() % 8; i > 0; --i) {
    const double seconds = 60.0 + static_cast<double>(random() % 5000);
    Candidate c = random() % 5 == 0 ? test::failed(some_name(random, "m"), "no laps")
                                    : test::candidate(some_name(random, "m"), seconds);
    c.run_id = some_name(random, "run");
    if (random() % 4 == 0) c.offer = some_name(random, "o");
    if (random() % 2 == 0) c.accuracy = 0.9 + 0.01 * static_cast<double>(random() % 10);
    c.epochs = static_cast<double>(random() % 20);
    if (c.epochs > 0)
      c.time_by_epochs = [=, planned = c.epochs](double epochs) {
        return Seconds{10 + (seconds - 10) * epochs / planned};
      };
    c.settings = std::to_string(inputs.candidates.size());
    inputs.candidates.push_back(c);
  }
  for (std::size_t i = random() % 20; i > 0; --i) {
    Offer o = test::offer("o" + std::to_string(i), some_name(random, "m"), "0");
    o.price = {Money::from_nanos(static_cast<std::int64_t>(1 + random() % 9) * 3'600'000'000)};
    o.billing.step_ns = random() % 2 == 0 ? 1'000'000'000 : 60'000'000'000;
    o.boot_ns = static_cast<std::int64_t>(random() % 3) * 20'000'000'000;
    inputs.offers.push_back(o);
  }
  inputs.preferences.by = static_cast<Objective>(random() % 3);
  inputs.preferences.weight = 0.25 * static_cast<double>(random() % 5);
  if (random() % 3 == 0) inputs.preferences.deadline = Seconds{3000};
  if (random() % 3 == 0) inputs.preferences.max_cost = Money::parse("9");
  if (random() % 4 == 0) inputs.preferences.min_accuracy = 0.93;
  return inputs;
}

/// Identifies an input: its settings are its number among the candidates.
std::string key(const Candidate& candidate) {
  return candidate.settings;
}
std::string key(const Offer& offer) {
  return offer.name;
}

Ranking rank_inputs(const Inputs& inputs) {
  return lapcast::rank(inputs.candidates, inputs.offers, inputs.preferences);
}

bool is_match(const Inputs& inputs, const Candidate& candidate, const Offer& offer) {
  if (candidate.offer.empty()) return offer.machine_type == candidate.machine_type;
  const bool exists = std::any_of(inputs.offers.begin(), inputs.offers.end(),
                                  [&](const Offer& o) { return o.name == candidate.offer; });
  return exists ? offer.name == candidate.offer : offer.machine_type == candidate.offer;
}

using IndexPair = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

std::multiset<IndexPair> expected_pairs(const Inputs& inputs) {
  std::multiset<IndexPair> pairs;
  std::vector<bool> used(inputs.offers.size());
  for (std::size_t c = 0; c < inputs.candidates.size(); ++c) {
    bool any = false;
    for (std::size_t o = 0; o < inputs.offers.size(); ++o) {
      if (!is_match(inputs, inputs.candidates[c], inputs.offers[o])) continue;
      pairs.insert({c, o});
      used[o] = any = true;
    }
    if (!any) pairs.insert({c, std::nullopt});
  }
  for (std::size_t o = 0; o < used.size(); ++o) {
    if (!used[o]) pairs.insert({std::nullopt, o});
  }
  return pairs;
}

/// Returns where the row's candidate or offer was in the inputs; rank() keeps their order, and the
/// inputs of these tests have no two equal ones.
template <class T>
std::optional<std::size_t> index_of(const std::vector<T>& inputs,
                                    const std::shared_ptr<const T>& row) {
  if (!row) return std::nullopt;
  const auto same = [&](const T& input) { return key(input) == key(*row); };
  const auto found = std::find_if(inputs.begin(), inputs.end(), same);
  return static_cast<std::size_t>(found - inputs.begin());
}

std::vector<std::tuple<std::string, std::string, bool, double, double, double>> shape(
    const Ranking& ranking) {
  std::vector<std::tuple<std::string, std::string, bool, double, double, double>> result;
  for (const Choice& c : ranking.chosen) {
    result.emplace_back(key(*c.candidate), key(*c.offer), c.on_pareto_front, c.p_cheapest,
                        c.p_fastest, c.score);
  }
  return result;
}

/// Calls the function with 60 random inputs and their rankings.
template <class Check>
void for_many(Check check) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const Inputs inputs = some_inputs(random);
    check(inputs, rank_inputs(inputs));
  }
}

TEST(RankingProperties, ChosenAndExcludedAreAllPairsOnce) {
  for_many([](const Inputs& inputs, const Ranking& ranking) {
    std::multiset<IndexPair> found;
    for (const Choice& choice : ranking.chosen)
      found.insert(
          {index_of(inputs.candidates, choice.candidate), index_of(inputs.offers, choice.offer)});
    for (const Excluded& excluded : ranking.excluded) {
      found.insert({index_of(inputs.candidates, excluded.candidate),
                    index_of(inputs.offers, excluded.offer)});
      EXPECT_FALSE(excluded.reason.text.empty());
    }
    EXPECT_EQ(found, expected_pairs(inputs));
  });
}

TEST(RankingProperties, LinesOfEveryQuoteSumToItsTotal) {
  for_many([](const Inputs&, const Ranking& ranking) {
    for (const Choice& choice : ranking.chosen) {
      Money sum;
      for (const QuoteLine& line : choice.quote.lines) sum += line.amount;
      EXPECT_EQ(sum, choice.quote.total.mid);
    }
  });
}

TEST(RankingProperties, ParetoFrontIsWhatNoOtherDominates) {
  for_many([](const Inputs&, const Ranking& ranking) {
    for (const Choice& a : ranking.chosen) {
      const bool dominated =
          std::any_of(ranking.chosen.begin(), ranking.chosen.end(), [&](const Choice& b) {
            const auto cost_a = a.quote.total.mid, cost_b = b.quote.total.mid;
            const auto time_a = a.quote.time.mid, time_b = b.quote.time.mid;
            return cost_b <= cost_a && time_b <= time_a && (cost_b < cost_a || time_b < time_a);
          });
      EXPECT_EQ(a.on_pareto_front, !dominated);
    }
  });
}

TEST(RankingProperties, ProbabilitiesSumToOne) {
  for_many([](const Inputs&, const Ranking& ranking) {
    double cheapest = 0;
    double fastest = 0;
    for (const Choice& choice : ranking.chosen) {
      cheapest += choice.p_cheapest;
      fastest += choice.p_fastest;
    }
    const double expected = ranking.chosen.empty() ? 0 : 1;
    EXPECT_NEAR(cheapest, expected, 1e-9);
    EXPECT_NEAR(fastest, expected, 1e-9);
    EXPECT_GE(ranking.expected_regret, 0);
  });
}

TEST(RankingProperties, OrderAndRelativeColumns) {
  for_many([](const Inputs&, const Ranking& ranking) {
    for (std::size_t i = 1; i < ranking.chosen.size(); ++i) {
      const Choice& a = ranking.chosen[i - 1];
      const Choice& b = ranking.chosen[i];
      if (ranking.by == Objective::cost) {
        EXPECT_LE(a.quote.total.mid, b.quote.total.mid);
      }
      if (ranking.by == Objective::time) {
        EXPECT_LE(a.quote.time.mid, b.quote.time.mid);
      }
      if (ranking.by == Objective::score) {
        EXPECT_LE(a.score, b.score);
      }
    }
    const auto is_one = [](double value) { return value == 1; };
    const auto any_best = [&](double Choice::*column) {
      return std::any_of(ranking.chosen.begin(), ranking.chosen.end(),
                         [&](const Choice& c) { return is_one(c.*column); });
    };
    EXPECT_EQ(any_best(&Choice::relative_cost), !ranking.chosen.empty());
    EXPECT_EQ(any_best(&Choice::relative_time), !ranking.chosen.empty());
  });
}

TEST(RankingProperties, SameInputsSameRanking) {
  for_many([](const Inputs& inputs, const Ranking& ranking) {
    EXPECT_EQ(shape(rank_inputs(inputs)), shape(ranking));
  });
}

TEST(RankingProperties, ScalingAllPricesKeepsTheOrder) {
  for_many([](const Inputs& inputs, const Ranking& ranking) {
    Inputs dearer = inputs;
    for (Offer& o : dearer.offers) o.price = {Money::from_nanos(o.price.per_hour.nanos() * 3)};
    if (dearer.preferences.max_cost) {
      dearer.preferences.max_cost = Money::from_nanos(dearer.preferences.max_cost->nanos() * 3);
    }
    const Ranking scaled = rank_inputs(dearer);
    ASSERT_EQ(scaled.chosen.size(), ranking.chosen.size());
    for (std::size_t i = 0; i < scaled.chosen.size(); ++i) {
      EXPECT_EQ(key(*scaled.chosen[i].candidate), key(*ranking.chosen[i].candidate));
      EXPECT_EQ(key(*scaled.chosen[i].offer), key(*ranking.chosen[i].offer));
      EXPECT_NEAR(scaled.chosen[i].p_cheapest, ranking.chosen[i].p_cheapest, 1e-9);
    }
  });
}

TEST(RankingProperties, CrossoversGoUpAndJoin) {
  for_many([](const Inputs& inputs, const Ranking& ranking) {
    const bool has_limits = inputs.preferences.deadline || inputs.preferences.max_cost;
    for (std::size_t i = 0; i < ranking.crossovers.size(); ++i) {
      const Crossover& here = ranking.crossovers[i];
      EXPECT_TRUE(here.before || here.after);  // a limit may leave nothing on one side
      EXPECT_TRUE(has_limits || (here.before && here.after));
      EXPECT_EQ(here.before == nullptr, here.offer_before == nullptr);
      EXPECT_EQ(here.after == nullptr, here.offer_after == nullptr);
      if (i == 0) continue;
      EXPECT_GT(here.epochs, ranking.crossovers[i - 1].epochs);
      EXPECT_EQ(here.before, ranking.crossovers[i - 1].after);
      EXPECT_EQ(here.offer_before, ranking.crossovers[i - 1].offer_after);
    }
  });
}

}  // namespace
}  // namespace lapcast
