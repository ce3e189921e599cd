#pragma once

#include <vector>

#include "core/error.h"
#include "price/offer.h"
#include "rank/candidate.h"
#include "rank/choice.h"
#include "rank/preferences.h"
#include "rank/ranking_rows.h"

namespace lapcast {

/// Holds the ordered choices, what was excluded, and what is known of the first choice.
struct Ranking {
  Objective by = Objective::cost;
  Method method = Method::lapcast;  // a paper's method gives no probabilities
  std::vector<Choice> chosen;       // best first; equal ones in order of cost, time, name
  std::vector<Excluded> excluded;   // in order of the candidates, then of the offers
  std::vector<Choice> late;         // excluded only because of the deadline or its risk
  TrainingBill all_trainings;       // including those that the preferences exclude
  bool is_priced = false;           // some choice costs something; otherwise costs are not compared
  bool with_energy = false;         // as in the preferences; true when it is ranked by energy
  double expected_regret = 0;       // of the first choice (rank/odds.h): 0.01 = 1 %
  std::vector<Crossover> crossovers;  // ascending, from 1 to 10 times the first choice's epochs
  SpotAssumptions spot;               // as in the preferences
  std::vector<Reason> spot_unknown;   // distinct reasons why spot offers ignore interruptions
};

/// Ranks candidates under offers. Every pair of a candidate and an offer that matches it becomes
/// one row of chosen or of excluded; a candidate without an offer and an offer without a candidate
/// are excluded. An offer matches a candidate that wants it by name; if no offer has the wanted
/// name, the name counts as a machine type; a candidate that wants no offer matches its own machine
/// type. The same inputs give the same ranking. Throws Error (usage) if the weight is not between 0
/// and 1, for a risk without a deadline, and for a risk with a method that gives no interval.
Ranking rank(std::vector<Candidate> candidates, std::vector<Offer> offers,
             const Preferences& preferences);

}  // namespace lapcast
