#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Holds what is published of a type of accelerator; FLOPS are without sparsity.
struct AcceleratorSpec {
  std::string name;    // its key in machine_factors.csv: "A100_80_SXM4"
  std::string family;  // of its chip: "ga100"
  double memory_gib = 0;
  double fp32_tflops = 0;
  double tf32_tflops = 0;     // of matrices in TF32; that of FP32 where there is no TF32
  double half_tflops = 0;     // of matrices in 16 bits with sums in FP32
  double bandwidth_gb_s = 0;  // of its memory
  int year = 0;               // in which it was sold first
  std::string source;         // where the figures were read
};

/// Says which accelerator a name means.
struct AcceleratorMatch {
  const AcceleratorSpec* accelerator = nullptr;  // owned by the table
  double share = 1;                              // of the card that the offer has, above 0
  std::string doubt;                             // what the name leaves open; empty = nothing
};

/// Finds accelerators by the names that lists, drivers and people use.
class AcceleratorTable {
 public:
  /// Reads catalog/shortlist/accelerators.csv. Throws Error (bad input) with the line when it is
  /// damaged.
  explicit AcceleratorTable(std::string_view csv);

  /// Returns the table as it was when lapcast was built.
  static const AcceleratorTable& shipped();

  /// Returns the accelerator that a driver or a person calls so, whatever its case and blanks;
  /// "NVIDIA", "Tesla" and a size of memory in parentheses may be there or not. `memory_gib`
  /// chooses between sizes of one name. The reason says that the table lacks the name.
  Result<AcceleratorMatch> find(std::string_view name, std::optional<double> memory_gib = {}) const;

  /// Returns the accelerator of an offer: by its name at this provider, its machine type and its
  /// memory. "1/4 L4" is a quarter of an L4. The reason says what is missing.
  Result<AcceleratorMatch> find(const Offer& offer) const;

  const std::vector<AcceleratorSpec>& rows() const { return rows_; }
  /// Returns the row of that key, or nullptr.
  const AcceleratorSpec* named(std::string_view key) const;

 private:
  const AcceleratorSpec* exact(const std::string& plain) const;
  std::vector<const AcceleratorSpec*> other_sizes(const std::string& plain,
                                                  const AcceleratorSpec& chosen) const;

  std::vector<AcceleratorSpec> rows_;
  std::map<std::string, std::size_t> by_name_;  // plain_name() of each alias
};

/// Returns the text of catalog/shortlist/accelerators.csv as it was when lapcast was built.
std::string_view accelerators_csv();

/// Returns the memory in bytes of one accelerator of an offer: the offer's own figure, else that of
/// the accelerator, times the share.
std::int64_t accelerator_memory(const Offer& offer, const AcceleratorMatch& match);

}  // namespace lapcast
