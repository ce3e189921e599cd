#include "probe/gpu_sampler.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <utility>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

/// Returns the numbers of "0,2"; none where it names GPUs otherwise ("GPU-4ba8...") or not at all.
std::vector<std::string> gpu_numbers(const std::string& visible) {
  std::vector<std::string> numbers;
  std::istringstream names(visible);
  for (std::string name; std::getline(names, name, ',');) {
    const auto number = parse_integer(name);
    if (!number || *number < 0) return {};
    numbers.push_back(std::to_string(*number));
  }
  return numbers;
}

}  // namespace

std::optional<GpuSampler> GpuSampler::start(const std::string& visible) {
  std::vector<std::string> arguments = gpu_numbers(visible);
  arguments.insert(arguments.begin(), "lapcast-gpu-load");
  Result<HelperProcess> helper = HelperProcess::start(gpu_program(), std::move(arguments));
  if (!helper) return std::nullopt;
  return GpuSampler(std::move(*helper));
}

void GpuSampler::add_to(LoadSample& load, const std::function<bool(pid_t)>& is_other) {
  const auto printed = helper_.read();
  said_ += printed.value_or("");
  for (std::size_t end = 0; (end = said_.find('\n')) != std::string::npos;) {
    newest_ = said_.substr(0, end);
    said_.erase(0, end + 1);
  }
  if (!printed) newest_.clear();  // the helper has ended
  add_gpu_line(newest_, is_other, load);
}

void add_gpu_line(std::string_view line, const std::function<bool(pid_t)>& is_other,
                  LoadSample& load) {
  std::istringstream words{std::string(line)};
  std::string mhz, throttle, celsius;
  if (!(words >> mhz >> throttle >> celsius)) return;
  std::int64_t others = 0;
  LoadSample::Field milliwatts;
  constexpr std::string_view kPower = "mW=";
  for (std::string word; words >> word;) {
    if (word.starts_with(kPower)) {
      milliwatts = parse_integer(word.substr(kPower.size()));
      if (milliwatts && *milliwatts < 0) milliwatts.reset();
      continue;
    }
    const auto process = parse_integer(word);
    if (!process) return;
    if (is_other(static_cast<pid_t>(*process))) ++others;
  }
  load.gpu_mhz = parse_integer(mhz);
  load.gpu_throttle = parse_integer(throttle);
  load.gpu_celsius = parse_integer(celsius);
  load.gpu_others = others;
  load.gpu_mw = milliwatts;
}

}  // namespace lapcast
