#include "probe/gpu_memory_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/units.h"
#include "machine/proc_text.h"
#include "run/command_arguments.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostMessage = 400;  // characters
constexpr std::array<std::string_view, 13> kErrors{
    "CUDA out of memory",         "HIP out of memory",
    "XPU out of memory",          "MPS backend out of memory",
    "OutOfMemoryError",           "CUDA_ERROR_OUT_OF_MEMORY",
    "CUDA error: out of memory",  "cudaErrorMemoryAllocation",
    "HIP error: out of memory",   "hipErrorOutOfMemory",
    "CUBLAS_STATUS_ALLOC_FAILED", "UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY",
    "RESOURCE_EXHAUSTED"};
/// Must occur in a line with RESOURCE_EXHAUSTED, a status that gRPC and others use, too.
constexpr std::string_view kOfStatus = "emory";

bool is_error(std::string_view line) {
  const auto error = std::ranges::find_if(
      kErrors, [&](std::string_view text) { return line.find(text) != line.npos; });
  const bool is_of_cpu =
      line.find("device:CPU") != line.npos || line.find("java.lang.") != line.npos;
  if (error == kErrors.end() || is_of_cpu) return false;
  return *error != kErrors.back() || line.find(kOfStatus) != line.npos;
}

}  // namespace

std::string batch_of(const RunContext& context, const LapLog& log) {
  for (const auto& [name, value] : context.settings)
    if (name.find("batch") != name.npos) return value;
  if (const auto batch = batch_in_command(filled_program(context)))
    return std::to_string(batch->samples);
  return log.plan && log.plan->batch_size > 0 ? fmt::format("{:.0f}", log.plan->batch_size) : "";
}

GpuMemoryErrors gpu_memory_errors_in(std::string_view standard_error) {
  GpuMemoryErrors errors;
  std::string_view last;
  for (const std::string_view line : split(standard_error, '\n')) {
    if (!is_error(line)) continue;
    ++errors.count;
    last = line;
  }
  errors.last = printable(last, kMostMessage);
  return errors;
}

void GpuMemoryWatch::look(std::string_view standard_error, std::size_t laps, MonotonicNs now) {
  GpuMemoryErrors errors = gpu_memory_errors_in(standard_error);
  if (errors.count > errors_) {
    errors_ = errors.count;
    laps_ = laps;
    since_ = now;
    message_ = std::move(errors.last);
  } else if (laps != laps_) {
    message_.reset();
  }
}

Seconds GpuMemoryWatch::silent_for(MonotonicNs now) const {
  return message_ ? from_ns(now - since_) : Seconds{0};
}

outcome::Crashed out_of_gpu_memory(std::string message, const RunContext& context,
                                   const LapLog& log, std::span<const GpuSample> samples) {
  std::int64_t peak = log.device_memory_bytes;
  for (const GpuSample& sample : samples)
    if (sample.program.value_or(0) > 0)
      peak = std::max(peak, sample.program_bytes.value_or(sample.memory_bytes.value_or(0)));
  return {.exit_status = 1,
          .out_of_memory = outcome::OutOfMemory{std::move(message), batch_of(context, log), peak}};
}

}  // namespace lapcast
