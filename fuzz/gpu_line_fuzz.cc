// Reads a line about GPUs, as the helper or a library of the driver prints it, of any bytes: what
// it tells is within its bounds, and the lap log that it becomes is read again without damage. The
// same bytes are read as a list of GPUs, too.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "forecast/gpu_use.h"
#include "lap/lap_log_format.h"
#include "lap/lap_log_reader.h"
#include "lap/lap_log_writer.h"
#include "machine/hardware_text.h"
#include "probe/gpu_sampler.h"

namespace {

void require_that(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lapcast;
  const ProcessOwner owner{[](pid_t process) { return process % 2 == 0; },
                           [](pid_t process) { return process % 2 != 0; }};
  LoadSample load;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const Accelerator& gpu : parse_nvidia_gpus(bytes))
    require_that(!gpu.model.empty() && gpu.memory_bytes >= 0 && gpu.cuda_cores >= 0);
  const auto gpus = add_gpu_line(bytes, owner, load);
  require_that(std::ssize(gpus) <= kMostGpus);
  std::string text = lap_log_opening({});
  for (const GpuSample& gpu : gpus) {
    require_that(gpu.number >= 0 && gpu.number < kMostGpus);
    require_that(gpu.busy_percent.value_or(0) >= 0 && gpu.busy_percent.value_or(0) <= 100);
    text += gpu_line(gpu);
  }
  const LapLog log = parse_lap_log(text);
  require_that(!log.damage && log.gpus == gpus);
  for (const GpuUse& use : use_of_gpus(gpus, std::nullopt))
    require_that(use.mean_busy >= 0 && use.mean_busy <= 1.0000001 && use.idle_share <= 1);
  return 0;
}
