#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace lapcast {

/// Holds random cases of what several choices may cost (or take), as natural logarithms.
struct ValueCases {
  std::size_t choices = 0;
  std::vector<double> log_values;  // case by case, a number for each choice

  std::size_t cases() const { return choices == 0 ? 0 : log_values.size() / choices; }
  double at(std::size_t which, std::size_t choice) const {
    return log_values[which * choices + choice];
  }
};

/// Returns the choice with the smallest mean value over the cases; the first of equal ones.
/// There is at least one choice and one case.
std::size_t best_pick(const ValueCases& cases);

/// Returns the mean over the cases of value of the pick / smallest value - 1; a case counts at most
/// e^3 - 1.
double mean_regret(const ValueCases& cases, std::size_t pick);

/// Returns for each choice the share of the cases in which its value is the smallest.
std::vector<double> chances_to_win(const ValueCases& cases);

/// Returns the expected regret that is left after the choices `probed` are measured (the knowledge
/// gradient of Frazier, Powell and Dayanik 2008, by regression over the cases): measurements with
/// the standard deviation `noise` move all choices as far as they vary with them.
double regret_after(const ValueCases& cases, std::span<const std::size_t> probed, double noise);

/// Returns the expected regret that is left once a number is known that varies with the choices, as
/// regret_after() does; `observed` has it for each case, with its own noise.
double regret_given(const ValueCases& cases, std::span<const double> observed);

/// Returns which of the choices that may be measured is worth most: for the first probe the one
/// after which the least regret is left; later, when several leave the same, the one that most
/// often wins. Equal ones are decided by the smaller mean. Returns nothing if none may be measured.
std::optional<std::size_t> next_probe(const ValueCases& cases, std::span<const bool> may_be_probed,
                                      bool is_first, double noise);

}  // namespace lapcast
