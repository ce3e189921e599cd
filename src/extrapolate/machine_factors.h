#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "extrapolate/accelerator.h"
#include "extrapolate/gaussian.h"

namespace lapcast {

/// Says in which numbers a program computes: in FP32; in FP32 with matrices in TF32, as PyTorch
/// does on Ampere and later where it is allowed; or in 16 bits (mixed precision).
enum class PrecisionClass { fp32, tf32, half };

/// Returns "fp32", "tf32" or "amp", as machine_factors.csv has them.
std::string_view name_of(PrecisionClass precision);
/// Returns the class of "fp32", "tf32", "amp", "fp16", "bf16" and the like, in any case.
std::optional<PrecisionClass> precision_named(std::string_view name);

/// Names a row of the table of factors: an accelerator that computes in one class of numbers.
struct MachineItem {
  std::string accelerator;
  PrecisionClass precision = PrecisionClass::fp32;
  friend bool operator==(const MachineItem&, const MachineItem&) = default;
};

/// Returns the item of an accelerator; without TF32 a program that allows it computes in FP32.
MachineItem item_of(const AcceleratorSpec& accelerator, PrecisionClass precision);

/// Holds the logarithm of the seconds that a program without a size needs on each item, up to a
/// constant of the program.
struct MachineFactors {
  std::vector<MachineItem> items;
  Gaussian of_items;

  std::optional<std::size_t> place_of(const MachineItem& item) const;
};

/// Reads machine_factors.csv: mu, four loadings and an own deviation psi of each row; the
/// covariance is L L' + diag(psi^2). Throws Error (bad input) with the line when it is damaged.
MachineFactors read_machine_factors(std::string_view csv);

/// Returns the text of catalog/shortlist/machine_factors.csv as it was when lapcast was built.
std::string_view machine_factors_csv();

/// Is the number of figures of a specification that the prior uses.
inline constexpr std::size_t kFeatures = 5;

/// Holds the prior of the factors of an item by its specification: the logarithm of the seconds is
/// linear in the features with mean slopes b0, uncertain by P for all programs and by s for each;
/// items of one GPU, or of one precision, differ in common. docs/shortlist.md has the values and
/// how they were chosen.
struct FactorPrior {
  std::array<double, kFeatures> mean_slope{-.3, -.2, -.35, -.1, -.06};
  std::array<double, kFeatures> slope_sd{.1, .1, .1, .1, .08};
  std::array<double, kFeatures> program_sd{.06, .06, .075, .075, .04};
  double gpu_sd = 0.12;               // of all programs on one item
  double precision_sd = 0.3;          // common to the items of one precision
  double program_gpu_sd = 0.09;       // of one program on one item
  double program_precision_sd = .12;  // of one program in one precision
};

/// Returns the prior of items: with the spread of programs about it (`of_programs`), and without.
struct PriorOfItems {
  std::vector<double> mean;
  std::vector<double> of_mean;      // covariance of the means, row by row
  std::vector<double> of_programs;  // covariance of a program about them, row by row
};
PriorOfItems prior_of(std::span<const MachineItem> items, const AcceleratorTable& table,
                      const FactorPrior& prior = {});

/// Returns the factors with the items that they lack, from their specifications: what is known of
/// the other items goes into the new ones through the prior.
MachineFactors with_items(const MachineFactors& known, std::span<const MachineItem> wanted,
                          const AcceleratorTable& table, const FactorPrior& prior = {});

/// Is the factor of all standard deviations of the table beyond what its fit says. It was chosen on
/// the programs whose hash is even (docs/shortlist.md).
inline constexpr double kFactorInflation = 1.25;
/// Is the standard deviation of a measured lap about the program's own time.
inline constexpr double kLapNoise = 0.03;
/// Is the standard deviation of the unknown constant of a program.
inline constexpr double kFlatSd = 5;

/// Returns what is known of a program before anything is measured of it, over the chosen items.
Gaussian program_on(const MachineFactors& factors, std::span<const MachineItem> items,
                    double inflation = kFactorInflation);

}  // namespace lapcast
