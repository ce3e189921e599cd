#include "machine/hardware_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lower_case.h"
#include "machine/arm_parts.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

/// Describes a vector extension.
struct Isa {
  std::string_view name;
  std::string_view family;
  std::string_view flag;  // of /proc/cpuinfo
};

/// Lists the extensions. Each one includes those of its family that follow it.
constexpr std::array<Isa, 11> kIsas{{
    {"AMX", "x86", "amx_tile"},
    {"AVX-512", "x86", "avx512f"},
    {"AVX2", "x86", "avx2"},
    {"AVX", "x86", "avx"},
    {"SSE4.2", "x86", "sse4_2"},
    {"SSE2", "x86", "sse2"},
    {"SME", "arm", "sme"},
    {"SVE2", "arm", "sve2"},
    {"SVE", "arm", "sve"},
    {"NEON", "arm", "asimd"},
    {"RVV", "riscv", ""},
}};

auto find_isa(std::string_view name) {
  return std::ranges::find(kIsas, name, &Isa::name);
}

/// Returns the first value of a key; kernels of some architectures write "Model Name" for "model
/// name".
std::string_view field(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t end = line.find(':');
    if (end == std::string_view::npos) continue;
    if (lower_case(trimmed(line.substr(0, end))) == lower_case(key))
      return trimmed(line.substr(end + 1));
  }
  return {};
}

std::optional<std::int64_t> parse_hex(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string arm_model(std::string_view text) {
  const std::string_view implementer = field(text, "CPU implementer");
  const std::string_view part = field(text, "CPU part");
  const auto maker = parse_hex(implementer), number = parse_hex(part);
  if (!maker || !number) return {};
  for (const ArmPart& known : kArmParts)
    if (known.implementer == *maker && known.part == *number) return std::string(known.name);
  return fmt::format("ARM implementer {} part {}", implementer, part);
}

/// Reduces each run of blanks to one; the model names of some CPUs are padded with blanks.
std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  return out;
}

std::string find_model(std::string_view text) {
  for (const char* key : {"model name", "uarch", "cpu"}) {
    const std::string_view model = field(text, key);
    if (!model.empty()) return single_spaced(model);
  }
  return arm_model(text);
}

std::string widest_isa(std::string_view text) {
  std::string_view flags = field(text, "flags");
  if (flags.empty()) flags = field(text, "Features");
  for (const Isa& isa : kIsas)
    if (!isa.flag.empty() && has_word(flags, isa.flag)) return std::string(isa.name);
  const std::string_view riscv = field(text, "isa");  // "rv64imafdcv_zicsr_..."
  const std::string_view letters = riscv.substr(0, riscv.find('_'));
  const bool vector = letters.size() > 4 && letters.substr(4).find('v') != std::string_view::npos;
  return letters.starts_with("rv") && vector ? "RVV" : "";
}

double parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && number > 0 && number < 1e9 ? number : 0;
}

double ghz_of_name(std::string_view model) {
  const std::size_t at = model.find("@ ");
  const bool names_it = at != std::string_view::npos && model.ends_with("GHz");
  return names_it ? parse_number(model.substr(at + 2)) : 0;
}

/// Holds the number of streaming multiprocessors by the vendor's data sheets. The first entry that
/// the model's name contains counts, so longer names come first.
struct SmCount {
  std::string_view name;
  int sms;
};
constexpr std::array<SmCount, 25> kSmCounts{{
    {"H100 PCIe", 114},  {"H100 NVL", 132},   {"H100 80GB HBM3", 132},
    {"H200", 132},       {"GH200", 132},      {"A100", 108},
    {"V100", 80},        {"P100", 56},        {"Tesla K80", 13},
    {"Tesla M60", 16},   {"Tesla T4", 40},    {"L40S", 142},
    {"RTX 4090", 128},   {"RTX 3090 Ti", 84}, {"RTX 3090", 82},
    {"RTX 2080 Ti", 68}, {"GTX 1080 Ti", 28}, {"GTX 1080", 20},
    {"NVIDIA L4", 58},   {"NVIDIA A40", 84},  {"NVIDIA A30", 56},
    {"TITAN V", 80},     {"Tesla K40m", 15},  {"GTX 1050 Ti", 6},
    {"GTX 980 Ti", 22},
}};

struct CoresPerSm {
  std::string_view compute_capability;  // of this kind, or all that begin with "7."
  int cores;
};
constexpr std::array<CoresPerSm, 13> kCoresPerSm{{
    {"3.", 192},
    {"5.", 128},
    {"6.0", 64},
    {"6.1", 128},
    {"6.2", 128},
    {"7.", 64},
    {"8.0", 64},
    {"8.6", 128},
    {"8.7", 128},
    {"8.9", 128},
    {"9.0", 128},
    {"10.", 128},
    {"12.", 128},
}};

/// Returns the number of streaming multiprocessors by the data sheet; 0 = not known.
int sms_of(std::string_view model) {
  for (const SmCount& entry : kSmCounts) {
    const std::size_t at = model.find(entry.name);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + entry.name.size();
    if (end == model.size() || !std::isalnum(static_cast<unsigned char>(model[end])))
      return entry.sms;
  }
  return 0;
}

std::string known(std::string_view text) {
  text = trimmed(text);
  const bool unknown = text.empty() || text.front() == '[' || text == "N/A";
  return unknown ? "" : std::string(text);
}

std::int64_t parse_mebibytes(std::string_view text) {  // "143771 MiB"
  text = trimmed(text);
  if (!text.ends_with(" MiB")) return 0;
  const auto number = parse_integer(text.substr(0, text.size() - 4));
  return number && *number > 0 && *number < (std::int64_t{1} << 40) ? *number * 1024 * 1024 : 0;
}

// Values in a line of nvidia-smi, of the helper's first version, and of the helper.
constexpr std::size_t kOfSmi = 3;
constexpr std::size_t kOfFirstHelper = 6;
constexpr std::size_t kOfHelper = 14;

bool is_gpu_line(const std::vector<std::string_view>& parts) {
  const std::size_t count = parts.size();
  return (count == kOfSmi || count == kOfFirstHelper || count == kOfHelper) &&
         !known(parts[0]).empty();
}

std::int64_t known_count(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto number = parse_integer(known(text));
  return number && *number > 0 && *number <= kMost ? *number : 0;
}

/// Returns the meaning of nvmlComputeMode_t.
std::string compute_mode(std::string_view text) {
  const auto number = parse_integer(known(text));
  if (number == 0) return "shared";
  if (number == 1 || number == 3) return "one process at a time";
  return number == 2 ? "prohibited" : "";
}

/// Adds what helpers/gpu_facts.c tells beyond nvidia-smi.
void add_cuda(std::string_view capability, std::string_view cores, std::string_view cuda,
              Accelerator& gpu) {
  constexpr std::int64_t kMostCores = 1 << 24;
  gpu.compute_capability = known(capability);
  gpu.cuda = known(cuda);
  const int per_sm = cuda_cores_per_sm(gpu.compute_capability);
  const auto told = parse_integer(known(cores));
  if (told && *told > 0 && *told <= kMostCores)
    gpu.cuda_cores = *told;
  else
    gpu.cuda_cores = sms_of(gpu.model) * per_sm;
  if (gpu.cores.empty() && per_sm > 0 && gpu.cuda_cores % per_sm == 0 && gpu.cuda_cores > 0)
    gpu.cores = fmt::format("{} SMs", gpu.cuda_cores / per_sm);
}

/// Returns how the GPU of a line of helpers/gpu_facts.c is set up; nothing if it does not tell.
std::optional<GpuSetUp> set_up_of(const std::vector<std::string_view>& parts) {
  GpuSetUp gpu{.power_limit_mw = known_count(parts[6]),
               .top_clock_mhz = known_count(parts[7]),
               .ecc = known(parts[8]),
               .mig = known(parts[9]),
               .pcie = {},
               .compute_mode = compute_mode(parts[12])};
  if (const auto generation = known_count(parts[10]), lanes = known_count(parts[11]);
      generation > 0 && lanes > 0)
    gpu.pcie = fmt::format("generation {}, {} lanes", generation, lanes);
  return gpu == GpuSetUp{} ? std::nullopt : std::optional(gpu);
}

}  // namespace

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  info.model = find_model(text);
  info.isa = widest_isa(text);
  std::string_view clock = field(text, "cpu MHz");
  if (clock.empty()) clock = field(text, "clock");  // of POWER: "3783.000000MHz"
  info.clock_ghz = parse_number(clock) / 1000;
  info.nominal_ghz = ghz_of_name(info.model);
  info.virtualised = has_word(field(text, "flags"), "hypervisor");
  return info;
}

bool isa_includes(std::string_view have, std::string_view need) {
  const auto wide = find_isa(have), narrow = find_isa(need);
  return narrow != kIsas.end() && wide <= narrow && wide->family == narrow->family;
}

bool is_known_isa(std::string_view isa) {
  return find_isa(isa) != kIsas.end();
}

std::string hypervisor_name(std::string_view cpuid_signature) {
  constexpr std::array<std::array<std::string_view, 2>, 8> kNames{{
      {"KVMKVMKVM", "KVM"},
      {"Linux KVM Hv", "KVM"},
      {"Microsoft Hv", "Microsoft Hyper-V"},
      {"VMwareVMware", "VMware"},
      {"XenVMMXenVMM", "Xen"},
      {"TCGTCGTCGTCG", "QEMU without acceleration"},
      {"prl hyperv  ", "Parallels"},
      {"bhyve bhyve ", "bhyve"},
  }};
  const std::string_view letters = cpuid_signature.substr(0, cpuid_signature.find('\0'));
  for (const auto& [signature, name] : kNames)
    if (letters == signature) return std::string(name);
  return std::string(trimmed(letters));
}

std::vector<Accelerator> parse_nvidia_gpus(std::string_view text) {
  std::vector<Accelerator> found;
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, ',');
    if (!is_gpu_line(parts)) continue;
    const std::string model = known(parts[0]);
    found.push_back(
        {"nvidia", model, known(parts[1]), parse_mebibytes(parts[2]), nvidia_cores(model)});
    if (parts.size() > kOfSmi) add_cuda(parts[3], parts[4], parts[5], found.back());
    if (parts.size() == kOfHelper) found.back().set_up = set_up_of(parts);
  }
  return found;
}

std::vector<std::string> parse_gpu_uuids(std::string_view text) {
  std::vector<std::string> uuids;
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, ',');
    if (is_gpu_line(parts)) uuids.push_back(parts.size() < kOfHelper ? "" : known(parts.back()));
  }
  return uuids;
}

int cuda_cores_per_sm(std::string_view compute_capability) {
  for (const CoresPerSm& entry : kCoresPerSm)
    if (compute_capability == entry.compute_capability ||
        (entry.compute_capability.ends_with('.') &&
         compute_capability.starts_with(entry.compute_capability)))
      return entry.cores;
  return 0;
}

std::string parse_nvidia_model(std::string_view information) {
  return known(find_field(information, "Model", ':').value_or(std::string_view{}));
}

std::string parse_nvidia_version(std::string_view version) {
  const auto line = find_field(version, "NVRM version", ':');
  if (!line) return {};
  for (const std::string_view word : split(*line, ' ')) {
    const bool is_number = word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (is_number && word.find('.') != std::string_view::npos) return std::string(word);
  }
  return {};
}

std::string nvidia_cores(std::string_view model) {
  const int sms = sms_of(model);
  return sms > 0 ? fmt::format("{} SMs", sms) : "";
}

}  // namespace lapcast
