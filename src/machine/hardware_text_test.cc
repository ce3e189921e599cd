#include "machine/hardware_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using namespace std::string_view_literals;

constexpr const char* kAmd =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"
    "model name\t: AMD EPYC 7R13 Processor\ncpu MHz\t\t: 2649.998\ncpu cores\t: 2\n"
    "flags\t\t: fpu sse sse2 ht sse4_1 sse4_2 avx f16c hypervisor avx2\nbugs\t\t: none\n\n"
    "processor\t: 1\nmodel name\t: another\n";

constexpr const char* kIntel =
    "processor\t: 0\nvendor_id\t: GenuineIntel\n"
    "model name\t: Intel(R) Xeon(R) CPU           E5-2686 v4 @ 2.30GHz\ncpu MHz\t\t: 1200.000\n"
    "flags\t\t: sse sse2 sse4_2 avx avx2 avx512f avx512vl\n";

constexpr const char* kArm =
    "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes sve\n"
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n";

TEST(CpuInfo, ReadsAmd) {
  const CpuInfo info = parse_cpuinfo(kAmd);
  EXPECT_EQ(info.model, "AMD EPYC 7R13 Processor");
  EXPECT_EQ(info.isa, "AVX2");
  EXPECT_DOUBLE_EQ(info.clock_ghz, 2.649998);
  EXPECT_EQ(info.nominal_ghz, 0);
  EXPECT_TRUE(info.virtualised);
}

TEST(CpuInfo, ReadsIntelWithItsPaddedName) {
  const CpuInfo info = parse_cpuinfo(kIntel);
  EXPECT_EQ(info.model, "Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz");
  EXPECT_EQ(info.isa, "AVX-512");
  EXPECT_DOUBLE_EQ(info.nominal_ghz, 2.3);
  EXPECT_FALSE(info.virtualised);
}

TEST(CpuInfo, ReadsArmByItsPartNumber) {
  const CpuInfo info = parse_cpuinfo(kArm);
  EXPECT_EQ(info.model, "Arm Neoverse-V1");
  EXPECT_EQ(info.isa, "SVE");
  EXPECT_EQ(info.clock_ghz, 0);
}

TEST(CpuInfo, ReadsPowerAndLoongArch) {
  const CpuInfo power =
      parse_cpuinfo("cpu\t\t: POWER9, altivec supported\nclock\t\t: 3783.000000MHz\n");
  EXPECT_EQ(power.model, "POWER9, altivec supported");
  EXPECT_DOUBLE_EQ(power.clock_ghz, 3.783);
  const CpuInfo loong = parse_cpuinfo("Model Name\t\t: Loongson-3A5000\nCPU MHz\t\t\t: 2500.00\n");
  EXPECT_EQ(loong.model, "Loongson-3A5000");
  EXPECT_DOUBLE_EQ(loong.clock_ghz, 2.5);
}

TEST(CpuInfo, NamesAnArmPartItDoesNotKnowByItsNumbers) {
  EXPECT_EQ(parse_cpuinfo("CPU implementer : 0x99\nCPU part : 0x123\n").model,
            "ARM implementer 0x99 part 0x123");
}

TEST(CpuInfo, ReadsRiscV) {
  const CpuInfo info =
      parse_cpuinfo("processor\t: 0\nisa\t\t: rv64imafdcv_zicsr\nuarch\t: sifive,u74-mc\n");
  EXPECT_EQ(info.isa, "RVV");
  EXPECT_EQ(info.model, "sifive,u74-mc");
  EXPECT_EQ(parse_cpuinfo("isa : rv64imafdc_zve32f\n").isa, "");
}

TEST(CpuInfo, NothingGivesNothing) {
  const CpuInfo info = parse_cpuinfo("");
  EXPECT_EQ(info.model, "");
  EXPECT_EQ(info.isa, "");
  EXPECT_EQ(info.clock_ghz, 0);
  EXPECT_FALSE(info.virtualised);
}

TEST(CpuInfo, FlagsAreWholeWords) {
  EXPECT_EQ(parse_cpuinfo("flags : avx512 sse2x avx\n").isa, "AVX");
  EXPECT_FALSE(parse_cpuinfo("flags : nohypervisor\n").virtualised);
}

TEST(Isa, AWiderOneIncludesTheNarrowerOfItsFamily) {
  EXPECT_TRUE(isa_includes("AVX-512", "AVX2"));
  EXPECT_TRUE(isa_includes("AVX2", "AVX2"));
  EXPECT_FALSE(isa_includes("AVX2", "AVX-512"));
  EXPECT_FALSE(isa_includes("SVE2", "SSE2"));
  EXPECT_FALSE(isa_includes("", "SSE2"));
  EXPECT_FALSE(isa_includes("AVX2", "avx"));
}

TEST(Hypervisor, KnowsItsSignature) {
  EXPECT_EQ(hypervisor_name("KVMKVMKVM\0\0\0"sv), "KVM");
  EXPECT_EQ(hypervisor_name("Microsoft Hv"), "Microsoft Hyper-V");
  EXPECT_EQ(hypervisor_name("SRESRESRESRE"), "SRESRESRESRE");
  EXPECT_EQ(hypervisor_name(""), "");
}

TEST(NvidiaGpus, ReadsALinePerGpu) {
  const auto gpus = parse_nvidia_gpus(
      "NVIDIA H200, 550.54.15, 143771 MiB\nTesla V100-SXM2-16GB, 550.54.15, 16160 MiB\n");
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0],
            (Accelerator{"nvidia", "NVIDIA H200", "550.54.15", 143771LL << 20, "132 SMs"}));
  EXPECT_EQ(gpus[1].cores, "80 SMs");
}

TEST(NvidiaGpus, UnknownValuesStayUnknown) {
  const auto gpus = parse_nvidia_gpus("NVIDIA GB99, [N/A], [Insufficient Permissions]\r\n");
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0], (Accelerator{"nvidia", "NVIDIA GB99", "", 0, ""}));
}

TEST(NvidiaGpus, SkipsWhatIsNoGpu) {
  EXPECT_TRUE(parse_nvidia_gpus("").empty());
  EXPECT_TRUE(parse_nvidia_gpus("No devices were found\n").empty());
  EXPECT_TRUE(parse_nvidia_gpus(", 550.54.15, 1 MiB\n").empty());
  EXPECT_TRUE(parse_nvidia_gpus("NVIDIA L4, 550.54.15, 1 MiB, 8.9\n").empty());
}

/// Returns the only GPU of a line of helpers/gpu_facts.c with the model and the last three values.
Accelerator gpu_of(const std::string& model, const std::string& values) {
  const auto gpus = parse_nvidia_gpus(model + ", 550.54.15, 1 MiB, " + values + "\n");
  EXPECT_EQ(gpus.size(), 1u);
  return gpus.empty() ? Accelerator{} : gpus[0];
}

TEST(GpuSetUps, AreTheLastValuesOfTheHelper) {
  const std::string begin = "NVIDIA H200, 580.1, 143771 MiB, 9.0, 16896, 13.0";
  const std::string text = begin + ", 700000, 1980, on, off, 5, 16, 0, GPU-4ba8\n" + begin +
                           ", [N/A], [N/A], [N/A], [N/A], 5, [N/A], 3, [N/A]\n" + begin +
                           "\nno GPU\n";
  const auto gpus = parse_nvidia_gpus(text);
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(gpus[0].set_up,
            (GpuSetUp{700000, 1980, "on", "off", "generation 5, 16 lanes", "shared"}));
  EXPECT_EQ(gpus[1].set_up, (GpuSetUp{.compute_mode = "one process at a time"}));
  EXPECT_FALSE(gpus[2].set_up);
  EXPECT_EQ(gpus[2].cuda, "13.0");
  EXPECT_EQ(parse_gpu_uuids(text), (std::vector<std::string>{"GPU-4ba8", "", ""}));
}

TEST(NvidiaGpus, TakesCoresFromTheDriverOrFromDataSheets) {
  const Accelerator told = gpu_of("NVIDIA X1", "9.0, 16896, 12.4");
  EXPECT_EQ(told.compute_capability, "9.0");
  EXPECT_EQ(told.cuda, "12.4");
  EXPECT_EQ(told.cuda_cores, 16896);
  EXPECT_EQ(told.cores, "132 SMs");  // 16896 / 128
  EXPECT_EQ(gpu_of("NVIDIA L4", "8.9, [N/A], [N/A]").cuda_cores, 58 * 128);
  EXPECT_EQ(gpu_of("NVIDIA X1", "9.0, [N/A], 12.4").cuda_cores, 0);
  EXPECT_EQ(gpu_of("NVIDIA L4", "[N/A], [N/A], 12.4").cuda_cores, 0);
  EXPECT_EQ(gpu_of("NVIDIA L4", "8.9, -5, 12.4").cuda_cores, 58 * 128);
  EXPECT_EQ(gpu_of("NVIDIA X1", "99.0, 1000, [N/A]").cores, "");
}

// Table 1 of Carneiro 2018, and the card of Lawrence 2017 by its data sheet.
TEST(NvidiaGpus, HaveTheCudaCoresThatThePapersPrint) {
  EXPECT_EQ(gpu_of("Tesla K40m", "3.5, [N/A], 11.4").cuda_cores, 2880);
  EXPECT_EQ(gpu_of("Tesla K80", "3.7, [N/A], 11.4").cuda_cores, 2496);
  EXPECT_EQ(gpu_of("NVIDIA GeForce GTX 1050 Ti", "6.1, [N/A], 12.4").cuda_cores, 768);
  EXPECT_EQ(gpu_of("NVIDIA GeForce GTX 980 Ti", "5.2, [N/A], 12.4").cuda_cores, 2816);
}

TEST(CudaCoresPerSm, DependOnTheComputeCapability) {
  EXPECT_EQ(cuda_cores_per_sm("6.0"), 64);
  EXPECT_EQ(cuda_cores_per_sm("6.1"), 128);
  EXPECT_EQ(cuda_cores_per_sm("7.5"), 64);
  EXPECT_EQ(cuda_cores_per_sm("12.0"), 128);
  EXPECT_EQ(cuda_cores_per_sm("8.00"), 0);
  EXPECT_EQ(cuda_cores_per_sm(""), 0);
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
