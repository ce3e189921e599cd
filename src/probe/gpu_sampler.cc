#include "probe/gpu_sampler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <utility>

#include "lap/lap_log_format.h"
#include "machine/proc_text.h"

namespace lapcast {
namespace {

constexpr std::size_t kLongestLine = 64 << 10;  // 64 GPUs with 64 processes each have 45 kB

bool is_uuid(const std::string& name) {
  return name.starts_with("GPU-") && name.size() <= 64 && is_name(name);
}

/// Returns the numbers and UUIDs in "0,2"; none if it names GPUs in another way ("MIG-4ba8...") or
/// not at all. As in CUDA, a negative number hides what follows it.
std::vector<std::string> gpu_names(const std::string& visible) {
  std::vector<std::string> known;
  std::istringstream names(visible);
  for (std::string name; std::getline(names, name, ',');) {
    const auto number = parse_integer(name);
    if (number && *number < 0) break;
    if (!number && !is_uuid(name)) return {};
    known.push_back(number ? std::to_string(*number) : name);
  }
  return known;
}

/// Returns the number in "busy=97"; nothing if a lap log cannot hold it.
LoadSample::Field number_after(const std::string& word, std::string_view key) {
  return parse_count(std::string_view(word).substr(key.size()));
}

/// Reads the words of a line that follow the first three.
class GpuWords {
 public:
  explicit GpuWords(const ProcessOwner& owner) : owner_(owner) {}

  /// Takes a word; returns false if it is malformed.
  bool take(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return take_process(word);
    const std::string_view key = std::string_view(word).substr(0, equals + 1);
    const LoadSample::Field value = number_after(word, key);
    if (key == "mW=") milliwatts = value;
    if (key == "gpu=") return begin_gpu(value);
    if (gpus.empty()) return true;
    if (key == "busy=" && value.value_or(101) <= 100) gpus.back().busy_percent = value;
    if (key == "used=") gpus.back().memory_bytes = value;
    if (key == "of=") gpus.back().memory_total_bytes = value;
    if (key == "exclusive=") gpus.back().exclusive = value;
    return true;
  }

  std::int64_t others = 0;
  LoadSample::Field milliwatts;
  std::vector<GpuSample> gpus;

 private:
  bool begin_gpu(const LoadSample::Field& number) {
    if (!number || *number >= kMostGpus || std::ssize(gpus) >= kMostGpus) return false;
    gpus.push_back({.number = *number});
    return true;
  }

  bool take_process(const std::string& word) {
    const std::size_t colon = word.find(':');
    const auto process = parse_integer(word.substr(0, colon));
    if (!process) return false;
    if (owner_.is_other(static_cast<pid_t>(*process))) ++others;
    if (gpus.empty() || !owner_.is_own(static_cast<pid_t>(*process))) return true;
    GpuSample& gpu = gpus.back();
    gpu.program = 1;
    if (colon == word.npos) return true;
    if (const auto bytes = parse_count(std::string_view(word).substr(colon + 1)))
      gpu.program_bytes = gpu.program_bytes.value_or(0) + *bytes;
    return true;
  }

  const ProcessOwner& owner_;
};

}  // namespace

std::optional<GpuSampler> GpuSampler::start(const std::string& visible) {
  std::vector<std::string> arguments = gpu_names(visible);
  arguments.insert(arguments.begin(), "lapcast-gpu-load");
  Result<HelperProcess> helper = HelperProcess::start(gpu_program(), std::move(arguments));
  if (!helper) return std::nullopt;
  return GpuSampler(std::move(*helper));
}

/// Reads the helper's output. Returns whether a line was completed. Drops a line that is too long
/// to be the helper's.
bool GpuSampler::read_lines() {
  const auto printed = helper_.read();
  said_ += printed.value_or("");
  bool is_new = false;
  for (std::size_t end = 0; (end = said_.find('\n')) != std::string::npos; is_new = true) {
    newest_ = said_.substr(0, end);
    said_.erase(0, end + 1);
  }
  if (said_.size() > kLongestLine) said_.clear();
  if (newest_.size() > kLongestLine || !printed) newest_.clear();  // it has ended
  return is_new;
}

std::vector<GpuSample> GpuSampler::add_to(LoadSample& load, const ProcessOwner& owner) {
  const bool is_new = read_lines();
  std::vector<GpuSample> gpus = add_gpu_line(newest_, owner, load);
  if (!is_new) gpus.clear();
  return gpus;
}

void GpuSampler::forget() {
  read_lines();
  newest_.clear();
}

std::vector<GpuSample> add_gpu_line(std::string_view line, const ProcessOwner& owner,
                                    LoadSample& load) {
  std::istringstream words{std::string(line)};
  std::string mhz, throttle, celsius;
  if (!(words >> mhz >> throttle >> celsius)) return {};
  GpuWords rest(owner);
  for (std::string word; words >> word;)
    if (!rest.take(word)) return {};
  load.gpu_mhz = parse_integer(mhz);
  load.gpu_throttle = parse_integer(throttle);
  load.gpu_celsius = parse_integer(celsius);
  load.gpu_others = rest.others;
  load.gpu_mw = rest.milliwatts;
  return std::move(rest.gpus);
}

}  // namespace lapcast
