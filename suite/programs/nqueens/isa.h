#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::workloads::nqueens {

/// Names the instruction sets for which a fast search exists, in ascending order of speed.
enum class Isa {
  kPlain,        ///< nothing but C++: any CPU
  kAvx2,         ///< with BMI2 and POPCNT
  kAvx512,       ///< AVX-512 F and BW, lanes of 32 bits
  kAvx512Words,  ///< with VBMI2 as well: lanes of 16 bits
};

/// Reports, in one line, that this CPU or this build does not have the instructions.
class IsaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns "plain", "avx2", "avx512" or "avx512-vbmi2".
std::string_view name_of(Isa isa);

/// Returns the sets that this build has and this CPU and system can run; kPlain is always among
/// them.
std::vector<Isa> isas_here();

/// Returns the fastest available set that a name allows: "auto" allows all, "avx512" both AVX-512
/// sets, another name its own. Throws IsaError when none is available.
Isa choose_isa(const std::string& name);

}  // namespace lapcast::workloads::nqueens
