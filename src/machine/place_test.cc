#include "machine/place.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

TEST(Place, IsDescribedInWords) {
  EXPECT_EQ(describe(LocalPlace{}), "");
  EXPECT_EQ(describe(SshPlace{"gpu-box"}), "ssh gpu-box");
  EXPECT_EQ(describe(SlurmPlace{}), "slurm");
  EXPECT_EQ(describe(SlurmPlace{.login = "login1", .partition = "gpu", .gres = "gpu:a100:4"}),
            "slurm gpu gpu:a100:4 by login1");
}

}  // namespace
}  // namespace lapcast
