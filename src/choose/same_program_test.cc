#include "choose/same_program.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

RunContext context(std::vector<std::string> program,
                   std::map<std::string, std::string> settings = {}) {
  return {.program = std::move(program), .settings = std::move(settings)};
}

TEST(SameProgram, MachineAndBatchSizeDoNotMatter) {
  RunContext a = context({"train", "--batch", "{batch}"}, {{"batch", "64"}, {"lr", "0.1"}});
  RunContext b = context({"train", "--batch", "{batch}"}, {{"batch", "128"}, {"lr", "0.1"}});
  b.machine_type.name = "another";
  EXPECT_TRUE(are_same_program(a, b));
  b.settings["lr"] = "0.2";
  EXPECT_FALSE(are_same_program(a, b));
}

TEST(SameProgram, BatchSizesInTheArgumentsDoNotMatterEither) {
  EXPECT_TRUE(
      are_same_program(context({"train", "--batch", "64"}), context({"train", "--batch", "128"})));
  EXPECT_TRUE(are_same_program(context({"train", "--batch-size=64"}),
                               context({"train", "--batch-size=8"})));
  EXPECT_FALSE(are_same_program(context({"train", "--lr=64"}), context({"train", "--lr=8"})));
  EXPECT_FALSE(are_same_program(context({"train", "--batch=64", "1"}),
                                context({"train", "--batch=64", "2"})));
  EXPECT_FALSE(
      are_same_program(context({"train", "--batch=64"}), context({"train", "--batches=64"})));
  EXPECT_FALSE(are_same_program(context({"batch", "1"}), context({"batch", "2"})));
  EXPECT_FALSE(are_same_program(context({"train"}), context({"train", "--batch"})));
}

}  // namespace
}  // namespace lapcast
