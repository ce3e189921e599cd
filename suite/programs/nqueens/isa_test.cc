#include "nqueens/isa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "common/program_test.h"

namespace lapcast::workloads::nqueens {
namespace {

bool has(Isa isa) {
  const std::vector<Isa> here = isas_here();
  return std::find(here.begin(), here.end(), isa) != here.end();
}

TEST(Isas, PlainIsEverywhereAndTheBestIsLast) {
  EXPECT_EQ(isas_here().front(), Isa::kPlain);
  const std::vector<Isa> here = isas_here();
  EXPECT_TRUE(std::is_sorted(here.begin(), here.end()));
  EXPECT_EQ(choose_isa("auto"), isas_here().back());
  EXPECT_EQ(choose_isa("plain"), Isa::kPlain);
}

TEST(Isas, ANameIsTakenOnlyWhereTheCpuHasIt) {
  if (has(Isa::kAvx2)) {
    EXPECT_EQ(choose_isa("avx2"), Isa::kAvx2);
  } else {
    EXPECT_THROW(choose_isa("avx2"), IsaError);
  }
  if (has(Isa::kAvx512Words)) {
    EXPECT_EQ(choose_isa("avx512"), Isa::kAvx512Words);
  } else if (has(Isa::kAvx512)) {
    EXPECT_EQ(choose_isa("avx512"), Isa::kAvx512);
  } else {
    EXPECT_THROW(choose_isa("avx512"), IsaError);
  }
  EXPECT_THROW(choose_isa("sse9"), IsaError);
}

/// Compares with the system's view of the CPU.
TEST(Isas, AreThoseOfTheCpu) {
  std::ifstream in("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.find("\nflags") == std::string::npos) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const auto flag = [&](const std::string& name) {
    return text.find(" " + name + " ") != std::string::npos;
  };
  EXPECT_EQ(has(Isa::kAvx2), flag("avx2") && flag("bmi2"));
  EXPECT_EQ(has(Isa::kAvx512), flag("avx512f") && flag("avx512bw"));
  EXPECT_EQ(has(Isa::kAvx512Words), flag("avx512bw") && flag("avx512_vbmi2"));
}

/// Checks that a file that is compiled for AVX defines nothing that other files define too. The
/// linker would keep one of the definitions, and an older CPU could meet AVX instructions.
TEST(VectorFiles, DefineNothingButTheirSearches) {
  const Outcome outcome = run("nm -C --defined-only " NQUEENS_LIBRARY);
  if (outcome.status == 127) GTEST_SKIP() << "no nm here";
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  std::istringstream in(outcome.text);
  bool vectors = false;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with(":")) vectors = line.starts_with("search_avx");
    const size_t kind = line.find(' ') + 1;
    const bool shared = std::string("TWui").find(line[kind]) != std::string::npos;
    if (!vectors || line.size() < 20 || !shared) continue;
    EXPECT_NE(line.find("nqueens::search_avx"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace lapcast::workloads::nqueens
