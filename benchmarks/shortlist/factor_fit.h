#pragma once

#include <map>
#include <string>
#include <vector>

#include "extrapolate/machine_factors.h"
#include "shortlist/public_sets.h"

namespace lapcast::shortlist {

/// Holds what the fit takes as given; docs/shortlist.md says where the values come from.
struct FitConstants {
  double kappa = 0.4;  // share of the variance of programs that is common to a class
  double freedom = 6;  // programs that the prior of the covariance counts as
  double noise = 0.03;
  int rounds = 6;
  FactorPrior prior;
};

/// Holds the fitted factors of new classes of programs, and of each class that was seen.
struct FittedFactors {
  MachineFactors unseen;                       // mean, covariance of mean, class and program
  std::map<std::string, MachineFactors> seen;  // the same, given what is known of the class
  std::vector<double> of_mean, of_programs;    // covariances, row by row; what the table is made of
};

/// Fits the factors to programs by expectation maximisation: a program is its own constant plus
/// mean, deviation of its class (its public set) and own deviation; programs of one task weigh as
/// one. The items are those of the programs.
FittedFactors fit_factors(const std::vector<ProgramRow>& programs,
                          const FitConstants& constants = {});

/// Returns machine_factors.csv of a fit: four loadings and an own deviation of each item.
std::string factors_csv(const FittedFactors& fitted);

/// Returns the class of a set: both versions of Lambda's are one.
std::string class_of(const std::string& set);

}  // namespace lapcast::shortlist
