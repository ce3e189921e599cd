#include "remote/remote_run.h"

namespace lapcast {
namespace {

constexpr std::chrono::seconds kToTakeAnOrder{10};

}  // namespace

Result<void> end_and_remove(RemoteRun& run) {
  using Clock = std::chrono::steady_clock;
  RemoteNews news;
  // Without a folder no agent takes the order, and there is nothing to remove.
  if (run.order("kill"))
    for (const auto until = Clock::now() + kToTakeAnOrder;
         !news.ended && !news.lost && Clock::now() < until;)
      news = run.follow(std::chrono::milliseconds(100));
  return run.remove();
}

}  // namespace lapcast
