#include "campaign/tune_settings.h"

#include <gmock/gmock.h>

#include <map>

#include "core/error.h"

namespace lapcast {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class TuneSettingsTest : public ::testing::Test {
 protected:
  TuneSettingsTest() {
    program_.machine.allowed_cpus = {0, 1, 2, 3, 4, 5, 6, 7};
    program_.machine.threads = 8;
    program_.machine.cores = 4;
    program_.machine.isa = "AVX-512";
    program_.variable = [this](const std::string& name) -> std::optional<std::string> {
      const auto known = variables_.find(name);
      return known == variables_.end() ? std::nullopt : std::optional(known->second);
    };
  }
  std::vector<std::string> values_of(const std::string& name) const {
    std::vector<std::string> values;
    for (const TuneSetting& each : tune_settings(std::vector{name}, program_))
      values.push_back(each.value);
    return values;
  }

  TunedProgram program_;
  std::map<std::string, std::string> variables_;
};

TEST_F(TuneSettingsTest, ThreadsAreCoresHalfAndOne) {
  EXPECT_THAT(values_of("threads"), ElementsAre("4", "1"));
  variables_["OMP_NUM_THREADS"] = variables_["MKL_NUM_THREADS"] = "1";
  EXPECT_THAT(values_of("threads"), ElementsAre("8", "4"));
  program_.type.cpus = {0};
  EXPECT_THAT(values_of("threads"), IsEmpty());
}

TEST_F(TuneSettingsTest, AQuotaLimitsTheThreads) {
  program_.type.cpu_quota = 1.5;
  EXPECT_THAT(values_of("threads"), ElementsAre("1"));
  EXPECT_THAT(values_of("wait"), ElementsAre("passive", "active"));
  program_.type.cpu_quota = 0.5;
  EXPECT_THAT(values_of("wait"), IsEmpty());
}

TEST_F(TuneSettingsTest, OnlyInstalledAllocatorsAreTriedAndPreloadedOnesStay) {
  EXPECT_THAT(values_of("malloc"), ElementsAre("keep", "keep-huge"));
  program_.machine.allocators = {"/usr/lib64/libjemalloc.so.2", "/usr/lib64/libtcmalloc.so.4",
                                 "/usr/lib64/libtcmalloc_minimal.so.4", "/tmp/libmimalloc.so.2"};
  EXPECT_THAT(values_of("malloc"), ElementsAre("keep", "keep-huge", "jemalloc", "tcmalloc"));
  variables_["LD_PRELOAD"] = "/own.so";
  EXPECT_THAT(tune_settings(std::vector<std::string>{"malloc"}, program_)[2].environment,
              ElementsAre(Pair("LD_PRELOAD", "/usr/lib64/libjemalloc.so.2:/own.so")));
}

TEST_F(TuneSettingsTest, NarrowVectorsAreForWideOnes) {
  EXPECT_THAT(values_of("isa"), ElementsAre("avx2"));
  program_.machine.isa = "AVX2";
  EXPECT_THAT(values_of("isa"), IsEmpty());
}

TEST_F(TuneSettingsTest, TheHookIsForPythonAndOnlySomeOfItsSettingsKeepTheResults) {
  for (const std::string& name : changed_result_settings()) EXPECT_THAT(values_of(name), IsEmpty());
  EXPECT_THAT(values_of("workers"), IsEmpty());
  program_.has_hook = true;
  EXPECT_THAT(values_of("workers"), ElementsAre("8"));
  EXPECT_THAT(values_of("precision"), ElementsAre("bf16"));
  program_.machine.accelerators = {Accelerator{}};
  EXPECT_THAT(values_of("precision"), ElementsAre("bf16", "tf32"));
  for (const std::string& name : changed_result_settings())
    for (const TuneSetting& each : tune_settings(std::vector{name}, program_)) {
      EXPECT_TRUE(each.changes_results) << name;
      EXPECT_FALSE(each.in_program.empty()) << name;
    }
}

TEST_F(TuneSettingsTest, AnUnknownNameIsRefused) {
  EXPECT_THROW(values_of("threeds"), Error);
  EXPECT_THROW(values_of(""), Error);
}

TEST(TriedVariable, IsANameWithValues) {
  const auto tried = tried_variable("OMP_PROC_BIND=close,spread");
  ASSERT_EQ(tried.size(), 2u);
  EXPECT_EQ(tried[1].value, "spread");
  EXPECT_THAT(tried[1].environment, Contains(Pair("OMP_PROC_BIND", "spread")));
  for (const char* wrong :
       {"", "=1", "A", "A=", "A=1,,2", "A=1,1", "A B=1", "1A=1", "A-B=1", "LAPCAST_RUN_DIR=/tmp"})
    EXPECT_THROW(tried_variable(wrong), Error) << wrong;
}

}  // namespace
}  // namespace lapcast
