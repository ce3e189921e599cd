#include "nqueens/isa.h"

#include <algorithm>

namespace lapcast::workloads::nqueens {
namespace {

/// Both compilers' built-ins also check that the operating system saves the registers.
bool runs_here([[maybe_unused]] Isa isa) {
#ifdef NQUEENS_VECTORS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  const bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  switch (isa) {
    case Isa::kPlain:
      return true;
    case Isa::kAvx2:
      return avx2;
    case Isa::kAvx512:
      return avx512;
    case Isa::kAvx512Words:
      return avx512 && __builtin_cpu_supports("avx512vbmi2");
  }
#endif
  return isa == Isa::kPlain;
}

bool allows(const std::string& name, Isa isa) {
  if (name == "auto" || name == name_of(isa)) return true;
  return name == "avx512" && isa == Isa::kAvx512Words;
}

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::kPlain:
      return "plain";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kAvx512Words:
      return "avx512-vbmi2";
  }
  return "";
}

std::vector<Isa> isas_here() {
  std::vector<Isa> here;
  for (Isa isa : {Isa::kPlain, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Words}) {
    if (runs_here(isa)) here.push_back(isa);
  }
  return here;
}

Isa choose_isa(const std::string& name) {
  const std::vector<Isa> here = isas_here();
  const auto found =
      std::find_if(here.rbegin(), here.rend(), [&](Isa isa) { return allows(name, isa); });
  if (found != here.rend()) return *found;
  throw IsaError("--isa " + name + ": not on this CPU, or not in this build; the best here is " +
                 std::string(name_of(here.back())));
}

}  // namespace lapcast::workloads::nqueens
