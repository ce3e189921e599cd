#include "machine/accelerator_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

/// Lists the streaming multiprocessors by the vendor's data sheets. The first entry that the
/// model's name contains counts, so longer names stand first.
struct SmCount {
  std::string_view name;
  int sms;
};
constexpr std::array<SmCount, 22> kSmCounts{{
    {"H100 PCIe", 114},  {"H100 NVL", 132},   {"H100 80GB HBM3", 132},
    {"H200", 132},       {"GH200", 132},      {"A100", 108},
    {"V100", 80},        {"P100", 56},        {"Tesla K80", 13},
    {"Tesla M60", 16},   {"Tesla T4", 40},    {"L40S", 142},
    {"RTX 4090", 128},   {"RTX 3090 Ti", 84}, {"RTX 3090", 82},
    {"RTX 2080 Ti", 68}, {"GTX 1080 Ti", 28}, {"GTX 1080", 20},
    {"NVIDIA L4", 58},   {"NVIDIA A40", 84},  {"NVIDIA A30", 56},
    {"TITAN V", 80},
}};

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

}  // namespace

std::vector<Accelerator> parse_nvidia_smi(std::string_view text) {
  std::vector<Accelerator> found;
  for (const std::string_view line : split(text, '\n')) {
    const auto parts = split(line, ',');
    if (parts.size() != 3 || known(parts[0]).empty()) continue;
    const std::string model = known(parts[0]);
    found.push_back(
        {"nvidia", model, known(parts[1]), parse_mebibytes(parts[2]), nvidia_cores(model)});
  }
  return found;
}

std::string parse_nvidia_model(std::string_view information) {
  return known(find_field(information, "Model", ':').value_or(std::string_view{}));
}

std::string parse_nvidia_version(std::string_view version) {
  const auto line = find_field(version, "NVRM version", ':');
  if (!line) return {};
  for (const std::string_view word : split(*line, ' ')) {
    const bool digits = std::all_of(word.begin(), word.end(),
                                    [](unsigned char c) { return std::isdigit(c) || c == '.'; });
    if (digits && word.find('.') != std::string_view::npos) return std::string(word);
  }
  return {};
}

std::string nvidia_cores(std::string_view model) {
  for (const SmCount& entry : kSmCounts) {
    const std::size_t at = model.find(entry.name);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + entry.name.size();
    if (end == model.size() || !std::isalnum(static_cast<unsigned char>(model[end]))) {
      return std::to_string(entry.sms) + " SMs";
    }
  }
  return {};
}

}  // namespace lapcast
