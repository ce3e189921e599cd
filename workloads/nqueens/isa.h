#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast::workloads::nqueens {

/// Instruction sets that a fast search exists for, the best last.
enum class Isa {
  kPlain,        ///< nothing but C++: any CPU
  kAvx2,         ///< with BMI2 and POPCNT
  kAvx512,       ///< AVX-512 F and BW, lanes of 32 bits
  kAvx512Words,  ///< with VBMI2 as well: lanes of 16 bits
};

/// This CPU or this build does not have the instructions; one line.
class IsaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "plain", "avx2", "avx512", "avx512-vbmi2".
std::string_view name_of(Isa isa);

/// Those that this build has and this CPU and system can run; kPlain always.
std::vector<Isa> isas_here();

/// The best one here that a name allows: "auto" all, "avx512" both of AVX-512, other names their
/// own. Throws IsaError when it has none of them.
Isa choose_isa(const std::string& name);

}  // namespace lapcast::workloads::nqueens
