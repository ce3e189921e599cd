#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// Holds what /proc/cpuinfo says of its first processor.
struct CpuInfo {
  std::string model;         // "AMD EPYC 7R13 Processor", "Arm Neoverse-N1"; empty = not known
  std::string isa;           // widest vector extension, see isa_includes(); empty = not known
  double clock_ghz = 0;      // at the moment of reading; 0 = not known
  double nominal_ghz = 0;    // from a model name such as "... CPU @ 2.60GHz"; 0 = not known
  bool virtualised = false;  // the x86 hypervisor flag
};

/// Parses /proc/cpuinfo of x86, ARM and RISC-V machines; unknown fields stay empty.
CpuInfo parse_cpuinfo(std::string_view text);

/// Returns whether a CPU whose widest extension is `have` also has `need`. From narrow to wide, x86
/// has SSE2, SSE4.2, AVX, AVX2, AVX-512 and AMX; ARM has NEON, SVE, SVE2 and SME; RISC-V has RVV
/// only. Returns false when `need` is none of these names.
bool isa_includes(std::string_view have, std::string_view need);
/// Returns whether the name is one of the extensions that isa_includes() lists.
bool is_known_isa(std::string_view isa);

/// Returns the name of the hypervisor, such as "KVM", for the 12 letters of CPUID leaf 0x40000000.
/// Returns the letters themselves when they are not known.
std::string hypervisor_name(std::string_view cpuid_signature);

/// Parses the output of nvidia-smi --query-gpu=name,driver_version,memory.total
/// --format=csv,noheader, a line per GPU, or that of helpers/gpu_facts.c, which has eleven more
/// values, including how the GPU is set up. Skips lines of another shape; values such as "[N/A]"
/// are not known. If the driver does not tell the CUDA cores, they are the SMs of the data sheet
/// times cuda_cores_per_sm().
std::vector<Accelerator> parse_nvidia_gpus(std::string_view text);

/// Returns the UUIDs of the GPUs in the output of helpers/gpu_facts.c, in the order of
/// parse_nvidia_gpus(); empty = not known.
std::vector<std::string> parse_gpu_uuids(std::string_view text);

/// Returns how many CUDA cores a streaming multiprocessor of a compute capability such as "9.0"
/// has: the single-precision additions per clock cycle, by the table of arithmetic instructions in
/// the CUDA C++ Programming Guide. Returns 0 for one that lapcast does not know.
int cuda_cores_per_sm(std::string_view compute_capability);

/// Returns "Model:" of /proc/driver/nvidia/gpus/*/information; empty = not known.
std::string parse_nvidia_model(std::string_view information);
/// Returns the driver of /proc/driver/nvidia/version: "550.54.15"; empty = not known.
std::string parse_nvidia_version(std::string_view version);

/// Returns "132 SMs" for a GPU whose data sheet lapcast knows, else an empty text.
std::string nvidia_cores(std::string_view model);

}  // namespace lapcast
