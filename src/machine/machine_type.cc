#include "machine/machine_type.h"

#include <charconv>
#include <set>
#include <string_view>

#include "core/error.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr int kMostCpus = 8192;  // what Linux can be built for on x86-64

[[noreturn]] void bad_list(const std::string& text, const std::string& what) {
  throw Error(ExitCode::bad_input, "bad CPU list '" + text.substr(0, 80) + "': " + what +
                                       "; write CPU numbers and ranges such as 0-3,8");
}

int parse_cpu(std::string_view digits, const std::string& text) {
  int cpu = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), cpu);
  const bool whole = end == digits.data() + digits.size();
  if (digits.empty() || digits[0] == '-') bad_list(text, "a number is missing");
  if (error == std::errc::result_out_of_range) bad_list(text, "a CPU number is too large");
  if (error != std::errc{} || !whole) bad_list(text, "it has something other than numbers");
  if (cpu >= kMostCpus) bad_list(text, "a CPU number is too large");
  return cpu;
}

void add_range(std::string_view part, const std::string& text, std::set<int>& cpus) {
  const std::size_t dash = part.find('-');
  const int first = parse_cpu(part.substr(0, dash), text);
  const int last = dash == std::string_view::npos ? first : parse_cpu(part.substr(dash + 1), text);
  if (last < first) bad_list(text, "a range runs backwards");
  for (int cpu = first; cpu <= last; ++cpu)
    if (!cpus.insert(cpu).second) bad_list(text, "CPU " + std::to_string(cpu) + " stands twice");
}

}  // namespace

std::vector<int> parse_cpu_list(const std::string& text) {
  std::set<int> cpus;
  for (const std::string_view part : split(text, ',')) add_range(part, text, cpus);
  return {cpus.begin(), cpus.end()};
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[first]);
    if (last > first) text += '-' + std::to_string(cpus[last]);
    first = last + 1;
  }
  return text;
}

bool same_hardware(const MachineType& a, const MachineType& b) {
  return a.cpus == b.cpus && a.cpu_quota == b.cpu_quota && a.environment == b.environment;
}

}  // namespace lapcast
