#include "machine/ordered_hardware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr double kLeastShare =
    0.9;  // of a size: lists round up, and systems keep some for themselves

constexpr std::string_view kDigits = "0123456789";

/// Returns the words of a name in capitals, without what stands between them.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

bool is_size(std::string_view word, std::string_view next) {
  const std::string_view unit = word.substr(std::min(word.find_first_not_of(kDigits), word.size()));
  return (unit.empty() ? next : unit) == "GB" || (unit.empty() ? next : unit) == "GIB";
}

/// Returns the words of a name of a GPU that tell models apart: those with digits that are not
/// sizes of memory, without what some lists write into the same word: "RTX4090", "4070Ti".
std::vector<std::string> model_words(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  std::vector<std::string> models;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.find_first_of(kDigits) == word.npos) continue;
    if (is_size(word, i + 1 < words.size() ? words[i + 1] : "")) continue;
    for (const std::string_view brand : {"RTX", "GTX"})
      if (word.starts_with(brand)) word.remove_prefix(brand.size());
    for (const std::string_view kind : {"TI", "ADA"})
      if (word.ends_with(kind)) word.remove_suffix(kind.size());
    models.emplace_back(word);
  }
  return models;
}

bool is_enough(std::int64_t found, std::int64_t ordered) {
  return static_cast<double>(found) >= kLeastShare * static_cast<double>(ordered);
}

std::string with_memory(std::string_view gpu, std::int64_t bytes) {
  return bytes > 0 ? fmt::format("{} with {}", gpu, format_bytes(bytes)) : std::string(gpu);
}

/// Returns what is wrong with the GPUs; empty for nothing.
std::string wrong_gpus(const OrderedHardware& ordered, const MachineDescription& machine) {
  if (ordered.gpu.empty() && ordered.gpus == 0) return {};
  const std::int64_t wanted = std::max<std::int64_t>(ordered.gpus, 1);
  if (std::ssize(machine.accelerators) < wanted)
    return fmt::format("ordered {} x {}, got {} GPUs", wanted, printable(ordered.gpu),
                       machine.accelerators.size());
  for (const Accelerator& gpu : machine.accelerators)
    if (!is_gpu_model(ordered.gpu, gpu.model) ||
        (gpu.memory_bytes > 0 && !is_enough(gpu.memory_bytes, ordered.gpu_memory_bytes)))
      return fmt::format("ordered {}, got {}",
                         printable(with_memory(ordered.gpu, ordered.gpu_memory_bytes)),
                         printable(with_memory(gpu.model, gpu.memory_bytes)));
  return {};
}

/// Returns 12008 for "12.8"; nothing for what is not two numbers of at most three digits.
std::optional<std::int64_t> cuda_number(std::string_view version) {
  constexpr std::int64_t kMost = 999;
  const auto numbers = split(version, '.');
  if (numbers.size() != 2 || version.find_first_not_of("0123456789.") != version.npos)
    return std::nullopt;
  const auto major = parse_integer(numbers[0]);
  const auto minor = parse_integer(numbers[1]);
  if (!major || !minor || *major > kMost || *minor > kMost) return std::nullopt;
  return *major * (kMost + 1) + *minor;
}

/// Returns the reason when the driver of a GPU is too old for the ordered CUDA; empty for none.
std::string wrong_driver(const OrderedHardware& ordered, const MachineDescription& machine) {
  const auto wanted = cuda_number(ordered.cuda);
  for (const Accelerator& gpu : machine.accelerators)
    if (const auto found = cuda_number(gpu.cuda); wanted && found && *found < *wanted)
      return fmt::format("a driver for CUDA {} is needed, got {} for CUDA {}", ordered.cuda,
                         printable(gpu.driver), gpu.cuda);
  return {};
}

}  // namespace

bool is_cuda_version(std::string_view text) {
  return cuda_number(text).has_value();
}

bool is_gpu_model(std::string_view ordered, std::string_view found) {
  const std::vector<std::string> has = model_words(found);
  return std::ranges::all_of(model_words(ordered), [&](const std::string& word) {
    return std::ranges::find(has, word) != has.end();
  });
}

std::optional<Reason> why_not_as_ordered(const OrderedHardware& ordered,
                                         const MachineDescription& machine,
                                         std::int64_t free_disk_bytes) {
  std::string wrong = wrong_gpus(ordered, machine);
  if (wrong.empty()) wrong = wrong_driver(ordered, machine);
  const auto cpus = static_cast<double>(machine.allowed_cpus.size());
  const double usable = machine.cpu_limit ? std::min(cpus, *machine.cpu_limit) : cpus;
  if (wrong.empty() && usable > 0 && usable < ordered.vcpus)
    wrong = fmt::format("ordered {:g} CPUs, got {:g}", ordered.vcpus, usable);
  const std::int64_t memory = machine.memory_limit_bytes
                                  ? std::min(machine.memory_bytes, *machine.memory_limit_bytes)
                                  : machine.memory_bytes;
  if (wrong.empty() && memory > 0 && !is_enough(memory, ordered.memory_bytes))
    wrong = fmt::format("ordered {} of memory, got {}", format_bytes(ordered.memory_bytes),
                        format_bytes(memory));
  if (wrong.empty() && free_disk_bytes > 0 && free_disk_bytes < ordered.free_disk_bytes)
    wrong = fmt::format("ordered {} of free disk, got {}", format_bytes(ordered.free_disk_bytes),
                        format_bytes(free_disk_bytes));
  if (wrong.empty()) return std::nullopt;
  return Reason{fmt::format("{}: {}", kNotAsOrdered, wrong)};
}

}  // namespace lapcast
