#include "probe/quiet_check.h"

#include <gtest/gtest.h>

#include "discover/discover.h"

namespace lapcast {
namespace {

TEST(QuietCheck, LooksForTheTimeThatItIsTold) {
  const Interrupt interrupt;
  const std::vector<int> cpus = allowed_cpus();
  const QuietCheck check = check_quiet(cpus, Seconds{0.4}, interrupt);
  EXPECT_GE(check.length.count(), 0.4);
  EXPECT_EQ(check.cpus, static_cast<double>(cpus.size()));
  EXPECT_GE(check.spread, 0);
  EXPECT_LE(check.lost_share, 1);
}

TEST(QuietCheck, NamesEveryReasonToWait) {
  EXPECT_EQ(why_not_quiet({.cpus = 2, .others_cpus = 0.1, .stolen = 0.01, .spread = 0.03}), "");
  EXPECT_EQ(
      why_not_quiet({.cpus = 2, .others_cpus = 1.2, .stolen = 0.02, .spread = 0.2}),
      "others used 1.2 of 2 CPUs; the host took 2.0 % of the CPUs' time; the same work varied by "
      "20 %");
}

}  // namespace
}  // namespace lapcast
