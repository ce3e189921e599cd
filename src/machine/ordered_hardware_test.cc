#include "machine/ordered_hardware.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

MachineDescription machine_with(const std::string& gpu, std::int64_t gpu_bytes) {
  MachineDescription machine;
  machine.allowed_cpus = {0, 1, 2, 3};
  machine.memory_bytes = 15 * kGiB;
  machine.accelerators = {{.vendor = "nvidia", .model = gpu, .memory_bytes = gpu_bytes}};
  return machine;
}

TEST(OrderedHardware, NamesOfListsAndDriversMeanTheSameGpu) {
  const std::pair<const char*, const char*> same[] = {{"RTX 4090", "NVIDIA GeForce RTX 4090"},
                                                      {"L4", "NVIDIA L4"},
                                                      {"A100-80GB", "NVIDIA A100-SXM4-80GB"},
                                                      {"H100 SXM", "NVIDIA H100 80GB HBM3"},
                                                      {"V100", "Tesla V100-SXM2-16GB"},
                                                      {"RTX5090", "NVIDIA GeForce RTX 5090"},
                                                      {"a100 (80 GB)", "NVIDIA A100 80GB PCIe"},
                                                      {"RTX 4070Ti", "NVIDIA GeForce RTX 4070 Ti"},
                                                      {"", "NVIDIA L4"}};
  for (const auto& [ordered, found] : same)
    EXPECT_FALSE(why_not_as_ordered({.gpu = ordered}, machine_with(found, 0))) << ordered;
  for (const auto& [ordered, found] : {std::pair{"L4", "NVIDIA L40"}, {"A100", "NVIDIA A10"}})
    EXPECT_TRUE(why_not_as_ordered({.gpu = ordered}, machine_with(found, 0))) << ordered;
}

TEST(OrderedHardware, TheDriverMustRunTheCuda) {
  MachineDescription machine = machine_with("NVIDIA L4", 24 * kGiB);
  EXPECT_FALSE(why_not_as_ordered({.cuda = "12.8"}, machine)) << "it does not say";
  machine.accelerators[0].driver = "550.54.15";
  machine.accelerators[0].cuda = "12.4";
  for (const char* older : {"12.4", "11.8", "12.0", ""})
    EXPECT_FALSE(why_not_as_ordered({.cuda = older}, machine)) << older;
  for (const char* newer : {"12.8", "12.10", "13.0"})
    EXPECT_TRUE(why_not_as_ordered({.cuda = newer}, machine)) << newer;
  EXPECT_EQ(why_not_as_ordered({.cuda = "12.8"}, machine)->text,
            "not the machine that was ordered: a driver for CUDA 12.8 is needed, got 550.54.15 for "
            "CUDA 12.4");
  for (const char* bad : {"", "12", "12.", ".8", "12.8.1", "a.b", "1234.5", "-1.2"})
    EXPECT_FALSE(is_cuda_version(bad)) << bad;
}

TEST(OrderedHardware, TheFreeDiskMustBeReached) {
  const MachineDescription machine = machine_with("NVIDIA L4", 0);
  EXPECT_FALSE(why_not_as_ordered({.free_disk_bytes = 50 * kGiB}, machine, 50 * kGiB));
  EXPECT_FALSE(why_not_as_ordered({.free_disk_bytes = 50 * kGiB}, machine));
  EXPECT_THAT(why_not_as_ordered({.free_disk_bytes = 50 * kGiB}, machine, 8 * kGiB)->text,
              HasSubstr("ordered 50.0 GiB of free disk, got 8.0 GiB"));
}

TEST(OrderedHardware, SizesMayLackATenth) {
  const auto why = [](OrderedHardware ordered) {
    const auto reason =
        why_not_as_ordered(ordered, machine_with("NVIDIA GeForce RTX 4090", 12 * kGiB));
    return reason ? reason->text : "";
  };
  EXPECT_EQ(why({.gpu = "RTX 4090", .gpu_memory_bytes = 13 * kGiB}), "");  // 12 / 13 = 0.92
  EXPECT_EQ(why({.gpu = "RTX 4090", .gpu_memory_bytes = 24 * kGiB}),
            "not the machine that was ordered: ordered RTX 4090 with 24.0 GiB, got NVIDIA GeForce "
            "RTX 4090 with 12.0 GiB");
  EXPECT_EQ(why({.memory_bytes = 16 * kGiB}), "");  // 15 / 16 = 0.94
  EXPECT_THAT(why({.memory_bytes = 32 * kGiB}), HasSubstr("ordered 32.0 GiB of memory, got 15.0"));
  EXPECT_EQ(why({.vcpus = 4}), "");
  EXPECT_THAT(why({.vcpus = 8}), HasSubstr("ordered 8 CPUs, got 4"));
  EXPECT_THAT(why({.gpu = "RTX 4090", .gpus = 2}), HasSubstr("ordered 2 x RTX 4090, got 1 GPUs"));
}

}  // namespace
}  // namespace lapcast
