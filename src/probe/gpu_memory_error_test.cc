#include "probe/gpu_memory_error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast {
namespace {

TEST(GpuMemoryErrors, AreKnownByTheWordsOfTheLibraries) {
  for (const char* text :
       {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
        "RuntimeError: CUDA_ERROR_OUT_OF_MEMORY", "HIP out of memory", "XPU out of memory",
        "jaxlib.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate"})
    EXPECT_EQ(gpu_memory_errors_in(std::string("Traceback\n") + text + "\n").last, text);
  EXPECT_EQ(gpu_memory_errors_in("grpc: RESOURCE_EXHAUSTED: quota\nMemoryError\n").count, 0u);
}

// The error comes after 5 laps. A sixth lap shows that the program goes on; a second error ends it.
TEST(GpuMemoryWatch, IsOfAnErrorWithoutALapAfterIt) {
  GpuMemoryWatch watch;
  const std::string error = "CUDA out of memory\n";
  watch.look("", 5, 0);
  EXPECT_FALSE(watch.message());
  watch.look(error, 5, 1'000'000'000);
  watch.look(error, 5, 4'000'000'000);
  EXPECT_EQ(watch.message(), "CUDA out of memory");
  EXPECT_EQ(watch.silent_for(4'000'000'000), Seconds{3});
  watch.look(error, 6, 5'000'000'000);
  EXPECT_FALSE(watch.message());
  watch.look(error + error, 6, 6'000'000'000);
  EXPECT_TRUE(watch.message());
}

TEST(OutOfGpuMemory, TellsTheBatchAndTheLargestUseBefore) {
  RunContext context;
  context.settings = {{"batch", "2048"}};
  LapLog log;
  log.device_memory_bytes = std::int64_t{1} << 30;
  const std::vector<GpuSample> samples{{.memory_bytes = std::int64_t{9} << 30},  // of others
                                       {.memory_bytes = std::int64_t{4} << 30,
                                        .program = 1,
                                        .program_bytes = std::int64_t{3} << 30}};
  const Outcome outcome = out_of_gpu_memory("CUDA out of memory", context, log, samples);
  EXPECT_TRUE(is_out_of_gpu_memory(outcome));
  EXPECT_EQ(describe(outcome),
            "out of GPU memory: batch 2048, at most 3.0 GiB in use before: CUDA out of memory");
  EXPECT_EQ(outcome_kind(outcome), "out-of-gpu-memory");
}

}  // namespace
}  // namespace lapcast
