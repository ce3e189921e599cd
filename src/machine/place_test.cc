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
  EXPECT_EQ(describe(RentedPlace{"gcloud", "g2-standard-4", ""}), "rented gcloud g2-standard-4");
}

TEST(Place, ItsMachineLearnsNoFilesOfThisOne) {
  EXPECT_EQ(without_own_files(SshPlace{"box", "/home/me/config", "~/known"}),
            Place(SshPlace{"box"}));
}

TEST(Place, ItsDescriptionSaysWhetherItIsQueued) {
  const Place places[] = {LocalPlace{},
                          SshPlace{"slurm"},
                          SshPlace{"gpu-box"},
                          RentedPlace{"slurm", "gpu", ""},
                          SlurmPlace{},
                          SlurmPlace{.partition = "gpu"},
                          SlurmPlace{.login = "login1"}};
  for (const Place& place : places)
    EXPECT_EQ(is_queued(describe(place)), is_queued(place)) << describe(place);
}

}  // namespace
}  // namespace lapcast
