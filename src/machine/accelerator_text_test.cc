#include "machine/accelerator_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(NvidiaSmi, ReadsALinePerGpu) {
  const auto gpus = parse_nvidia_smi(
      "NVIDIA H200, 550.54.15, 143771 MiB\nTesla V100-SXM2-16GB, 550.54.15, 16160 MiB\n");
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0],
            (Accelerator{"nvidia", "NVIDIA H200", "550.54.15", 143771LL << 20, "132 SMs"}));
  EXPECT_EQ(gpus[1].cores, "80 SMs");
}

TEST(NvidiaSmi, UnknownValuesStayUnknown) {
  const auto gpus = parse_nvidia_smi("NVIDIA GB99, [N/A], [Insufficient Permissions]\r\n");
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0], (Accelerator{"nvidia", "NVIDIA GB99", "", 0, ""}));
}

TEST(NvidiaSmi, SkipsWhatIsNoGpu) {
  EXPECT_TRUE(parse_nvidia_smi("").empty());
  EXPECT_TRUE(parse_nvidia_smi("No devices were found\n").empty());
  EXPECT_TRUE(parse_nvidia_smi(", 550.54.15, 1 MiB\n").empty());
}

TEST(NvidiaFiles, GiveModelAndDriver) {
  EXPECT_EQ(parse_nvidia_model("Model: \t\t Tesla T4\nIRQ:   \t\t 10\n"), "Tesla T4");
  EXPECT_EQ(parse_nvidia_model("IRQ: 10\n"), "");
  EXPECT_EQ(parse_nvidia_version(
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19\n"),
            "535.104.05");
  EXPECT_EQ(parse_nvidia_version("GCC version: 12.2\n"), "");
}

TEST(NvidiaCores, TakesTheWholeName) {
  EXPECT_EQ(nvidia_cores("NVIDIA GeForce RTX 3090 Ti"), "84 SMs");
  EXPECT_EQ(nvidia_cores("NVIDIA GeForce RTX 3090"), "82 SMs");
  EXPECT_EQ(nvidia_cores("NVIDIA L40"), "");  // not an L4
  EXPECT_EQ(nvidia_cores("NVIDIA A100-SXM4-40GB"), "108 SMs");
}

}  // namespace
}  // namespace lapcast
