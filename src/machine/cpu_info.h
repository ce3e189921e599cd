#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Holds what /proc/cpuinfo says of its first processor.
struct CpuInfo {
  std::string model;         // "AMD EPYC 7R13 Processor", "Arm Neoverse-N1"; empty = not said
  std::string isa;           // widest vector extension, see isa_includes(); empty = not known
  double clock_ghz = 0;      // at the moment of reading; 0 = not said
  double nominal_ghz = 0;    // from a model name such as "... CPU @ 2.60GHz"; 0 = not said
  bool virtualised = false;  // the x86 hypervisor flag
};

/// Parses texts of x86, ARM and RISC-V; unknown fields stay empty.
CpuInfo parse_cpuinfo(std::string_view text);

/// Returns whether a CPU whose widest extension is `have` also has `need`. In order, x86: SSE2,
/// SSE4.2, AVX, AVX2, AVX-512, AMX; ARM: NEON, SVE, SVE2, SME; RISC-V: RVV. Nothing includes an
/// unknown name.
bool isa_includes(std::string_view have, std::string_view need);
bool is_known_isa(std::string_view isa);

/// Returns the hypervisor behind the 12 letters of CPUID leaf 0x40000000, such as "KVM"; the
/// letters themselves when they are not known.
std::string hypervisor_name(std::string_view cpuid_signature);

}  // namespace lapcast
