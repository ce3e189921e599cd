#include "run/kept_logs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lapcast {
namespace {

std::shared_ptr<const LapLog> any_log() {
  return std::make_shared<const LapLog>();
}

TEST(KeptLogs, AreFoundByRunAndHash) {
  KeptLogs kept;
  const auto a = any_log(), b = any_log();
  kept.keep({1, "a"}, a, 10);
  kept.keep({1, "b"}, b, 10);
  EXPECT_EQ(kept.find({1, "a"}), a);
  EXPECT_EQ(kept.find({1, "b"}), b);
  EXPECT_EQ(kept.find({2, "a"}), nullptr);
  kept.keep({1, "a"}, b, 10);
  EXPECT_EQ(kept.find({1, "a"}), a);
}

TEST(KeptLogs, NeverHaveMoreTextThanTheLimit) {
  constexpr std::size_t kRoom = 7;  // 8 MiB have 7 logs of 1 MiB and some bytes
  KeptLogs kept;
  std::vector<std::weak_ptr<const LapLog>> logs;
  for (std::size_t i = 0; i < 5 * kRoom; ++i) {
    auto log = any_log();
    logs.push_back(log);
    kept.keep({i * 0x9E3779B97F4A7C15, ""}, std::move(log), KeptLogs::kMostOfOne);
    std::size_t alive = 0;
    for (const auto& one : logs) alive += !one.expired();
    EXPECT_EQ(alive, std::min(i + 1, kRoom));
    EXPECT_FALSE(logs.back().expired());
  }
}

}  // namespace
}  // namespace lapcast
