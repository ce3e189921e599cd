#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choose/spot_training.h"
#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "energy/training_energy.h"
#include "forecast/forecast.h"
#include "price/offer.h"
#include "price/quote.h"

namespace lapcast {

/// Gives the time of a training by its number of epochs, 1 or more; infinite where it cannot be
/// forecast.
using TimeByEpochs = std::function<Seconds(double epochs)>;

/// Describes one way of training the model: a program, a machine type and a combination of
/// settings, with the forecast from one or more runs.
struct Candidate {
  /// Names the run that the forecast is made from: candidates of one run are fast or slow together.
  /// When it is empty, the candidate is independent of all others.
  std::string run_id;
  std::string machine_type;
  /// Names the wanted offer, or, when no offer has that name, a machine type; empty = every offer
  /// for machine_type.
  std::string offer;
  std::string settings;            // "batch=128"; empty = none
  Result<Interval<Seconds>> time;  // of the whole training, or the reason why it is not known
  // The time of the whole training as a mean over moments, in kCases equally likely cases that go
  // together over the candidates with the same `machine`; null = the interval of `time` says it.
  std::shared_ptr<const std::vector<double>> cases = nullptr;
  std::string machine = "";
  std::string where = "";       // "here", "ssh gpu-box", "imported"; only for people
  std::string conditions = "";  // "as-measured" or "undisturbed"; only alike ones are compared
  double wait_s = 0;            // in a cluster's queue before the start; never billed
  Demand demand = {};           // of the machine and its provider, beside the time
  double epochs = 0;            // of the training that `time` is for; 0 = its plan counts steps
  TimeByEpochs time_by_epochs = nullptr;    // time.mid at `epochs`; nothing = not known
  double start_s = 0;                       // of the program, until its first lap; 0 = not known
  std::optional<double> checkpoint_s = {};  // of the program's own; nothing = it made none
  std::optional<double> accuracy;           // the best of a run to its end with these settings
  std::optional<TrainingPower> power = {};  // nothing = an offer may still say it (energy_of())
  std::vector<std::int64_t> trained_epochs = {};  // of trainings with the mean `epochs`, if several
};

/// Says what a ranking makes as small as possible.
enum class Objective { cost, time, score, energy, co2 };

/// Returns whether a ranking by this needs the energy of every choice.
constexpr bool is_by_energy(Objective by) {
  return by == Objective::energy || by == Objective::co2;
}

/// Holds what the user asked for. Limits are compared with the mids of the intervals, unless `risk`
/// says how likely the deadline may be missed.
struct Preferences {
  Objective by = Objective::cost;
  Method method = Method::lapcast;  // that the candidates are forecast by
  double weight = 0.5;              // of cost in the score, 0 to 1; time has 1 - weight
  std::optional<Seconds> deadline;
  std::optional<double> risk;  // of missing the deadline that is accepted, 0 to 1; needs a deadline
  std::optional<Money> max_cost;
  std::optional<double> min_accuracy;
  bool with_energy = false;             // people see energy, too
  std::optional<double> grams_per_kwh;  // of CO2 equivalent, for every offer
  std::optional<double> max_co2_g;
  SpotAssumptions spot = {};
};

/// Describes one row of a ranking: a candidate under one offer that meets the preferences. Rows
/// share their candidates and offers, and may outlive the ranking that they come from.
struct Choice {
  std::shared_ptr<const Candidate> candidate;
  std::shared_ptr<const Offer> offer;
  Quote quote;               // its time includes the candidate's wait; see `spot`
  double relative_time = 1;  // time / smallest time of the ranking
  double relative_cost = 1;  // cost / smallest cost of the ranking
  double score = 1;          // weight * relative_cost + (1 - weight) * relative_time
  /// Is true when no other choice is at least as cheap and at least as fast, and better in one of
  /// the two.
  bool on_pareto_front = false;
  /// Gives the probability of being the cheapest, which sums to 1 over all choices; of equally
  /// cheap ones the first in the order of cost, time and rank counts.
  double p_cheapest = 0;
  double p_fastest = 0;  // the same of being the fastest
  /// Gives the probability of missing the deadline; set where a risk was given, and with `spot`.
  std::optional<double> p_late;
  std::shared_ptr<const TrainingEnergy> energy = nullptr;  // null = not known
  /// Is true when the energy is known and no other such choice is at least as cheap, as fast and as
  /// frugal, and better in one of the three.
  bool on_energy_front = false;
  /// Holds what interruptions do to the training, which the quote and the probabilities count: the
  /// middle of the quote's cost is the mean over the luck of interruptions, that of its time the
  /// median, both for the middle of the training time. Null on machines that stay, and where
  /// Ranking::spot_unknown says why interruptions do not count.
  std::shared_ptr<const SpotTraining> spot = nullptr;
};

/// Describes what was left out: a candidate, an offer, or a pair of both, and why.
struct Excluded {
  std::shared_ptr<const Candidate> candidate;  // null = no candidate is for this offer
  std::shared_ptr<const Offer> offer;          // null = no offer is for this candidate
  Reason reason;                               // "no price for machine type 'x'"
};

/// Says that another choice is the first of the ranking from this number of epochs on. A side
/// without a candidate says that nothing meets the limits there.
struct Crossover {
  double epochs = 0;  // of the first choice; trainings of others are longer in proportion
  std::shared_ptr<const Candidate> before;
  std::shared_ptr<const Candidate> after;
  std::shared_ptr<const Offer> offer_before = nullptr;
  std::shared_ptr<const Offer> offer_after = nullptr;
};

/// Holds the ordered choices, what was left out, and what is known of the first choice.
struct Ranking {
  Objective by = Objective::cost;
  Method method = Method::lapcast;    // by a paper's method no probability is meant
  std::vector<Choice> chosen;         // best first; equal ones in the order of cost, time, name
  std::vector<Excluded> excluded;     // in the order of the candidates, then of the offers
  bool is_priced = false;             // any choice costs anything; else no cost is compared
  bool with_energy = false;           // as in the preferences; true when it is ranked by energy
  double expected_regret = 0;         // of the first choice (choose/odds.h): 0.01 = 1 %
  std::vector<Crossover> crossovers;  // ascending, from 1 to 10 times the first choice's epochs
  SpotAssumptions spot;               // as in the preferences
  std::vector<Reason> spot_unknown;   // why some spot offers count no interruptions; each once
};

/// Returns the choices that rank() would order and compare, in no particular order.
std::vector<Choice> choices_of(std::vector<Candidate> candidates, std::vector<Offer> offers,
                               const Preferences& preferences);

/// Ranks candidates under offers. Every pair of a candidate and an offer that matches it becomes
/// one row of chosen or of excluded; a candidate without an offer and an offer without a candidate
/// are excluded. An offer matches a candidate that wants it by name; when no offer has the wanted
/// name, the name counts as a machine type; a candidate that wants no offer matches its own machine
/// type. The same inputs give the same ranking. Throws Error (usage) when the weight is not between
/// 0 and 1, for a risk without a deadline, and for a risk by a method that says no interval.
Ranking rank(std::vector<Candidate> candidates, std::vector<Offer> offers,
             const Preferences& preferences);

}  // namespace lapcast
