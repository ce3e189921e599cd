#include "machine/cpu_info.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

struct Isa {
  std::string_view name;
  std::string_view family;
  int rank;               // within the family
  std::string_view flag;  // of /proc/cpuinfo
};

constexpr std::array<Isa, 11> kIsas{{
    {"AMX", "x86", 6, "amx_tile"},
    {"AVX-512", "x86", 5, "avx512f"},
    {"AVX2", "x86", 4, "avx2"},
    {"AVX", "x86", 3, "avx"},
    {"SSE4.2", "x86", 2, "sse4_2"},
    {"SSE2", "x86", 1, "sse2"},
    {"SME", "arm", 4, "sme"},
    {"SVE2", "arm", 3, "sve2"},
    {"SVE", "arm", 2, "sve"},
    {"NEON", "arm", 1, "asimd"},
    {"RVV", "riscv", 1, ""},
}};

/// Lists MIDR implementer and part numbers, as in util-linux' and the vendors' tables.
struct ArmPart {
  std::int64_t implementer, part;
  std::string_view name;
};
constexpr std::array<ArmPart, 15> kArmParts{{
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse-N1"},
    {0x41, 0xd40, "Arm Neoverse-V1"},
    {0x41, 0xd42, "Arm Cortex-A78AE"},
    {0x41, 0xd49, "Arm Neoverse-N2"},
    {0x41, 0xd4f, "Arm Neoverse-V2"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon Kunpeng-920"},
    {0x4e, 0x004, "NVIDIA Carmel"},
    {0xc0, 0xac3, "Ampere Ampere-1"},
    {0xc0, 0xac4, "Ampere Ampere-1A"},
}};

const Isa* find_isa(std::string_view name) {
  const auto found =
      std::find_if(kIsas.begin(), kIsas.end(), [name](const Isa& isa) { return isa.name == name; });
  return found == kIsas.end() ? nullptr : &*found;
}

std::string_view field(std::string_view text, std::string_view key) {
  return find_field(text, key, ':').value_or(std::string_view{});
}

std::optional<std::int64_t> parse_hex(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string arm_model(std::string_view text) {
  const auto implementer = parse_hex(field(text, "CPU implementer"));
  const auto part = parse_hex(field(text, "CPU part"));
  if (!implementer || !part) return {};
  for (const ArmPart& known : kArmParts) {
    if (known.implementer == *implementer && known.part == *part) return std::string(known.name);
  }
  return "ARM implementer " + std::string(field(text, "CPU implementer")) + " part " +
         std::string(field(text, "CPU part"));
}

/// Removes the runs of blanks that the model names of some CPUs are padded with.
std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
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
  const std::vector<std::string_view> all = split(flags, ' ');
  for (const Isa& isa : kIsas) {
    if (!isa.flag.empty() && std::find(all.begin(), all.end(), isa.flag) != all.end()) {
      return std::string(isa.name);
    }
  }
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
  return at == std::string_view::npos || !model.ends_with("GHz")
             ? 0
             : parse_number(model.substr(at + 2));
}

}  // namespace

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo info;
  info.model = find_model(text);
  info.isa = widest_isa(text);
  info.clock_ghz = parse_number(field(text, "cpu MHz")) / 1000;
  info.nominal_ghz = ghz_of_name(info.model);
  const std::vector<std::string_view> flags = split(field(text, "flags"), ' ');
  info.virtualised = std::find(flags.begin(), flags.end(), "hypervisor") != flags.end();
  return info;
}

bool isa_includes(std::string_view have, std::string_view need) {
  const Isa* wide = find_isa(have);
  const Isa* narrow = find_isa(need);
  return wide && narrow && wide->family == narrow->family && wide->rank >= narrow->rank;
}

bool is_known_isa(std::string_view isa) {
  return find_isa(isa) != nullptr;
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
  const std::string_view letters =
      cpuid_signature.substr(0, std::min(cpuid_signature.find('\0'), cpuid_signature.size()));
  for (const auto& [signature, name] : kNames) {
    if (letters == signature) return std::string(name);
  }
  return std::string(trimmed(letters));
}

}  // namespace lapcast
