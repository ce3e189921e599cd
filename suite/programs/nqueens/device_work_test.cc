#include "nqueens/device_work.h"

#include <gtest/gtest.h>

#include <vector>

#include "nqueens/device.h"
#include "nqueens/fast.h"
#include "nqueens/known_counts.h"
#include "nqueens/paper.h"
#include "nqueens/work.h"

namespace lapcast::workloads::nqueens {
namespace {

/// Does what the device does with a search, on one CPU thread: jobs lap by lap, each searched by
/// the function that the kernel calls. `stride` is that of the threads that share the frames.
Tally search_as_device(const DeviceWork& work, int64_t wanted_laps, int stride) {
  std::vector<Node> frames(static_cast<size_t>(work.frames * stride));
  const Laps laps(static_cast<int64_t>(work.roots.size()), wanted_laps);
  Tally tally = work.before;
  for (int64_t lap = 1; lap <= laps.count(); ++lap) {
    const std::vector<Job> jobs = jobs_of(work, laps.end(lap - 1), laps.end(lap), tally);
    uint32_t taken = 0;
    const auto next = [&taken] { return taken++; };
    const auto count = static_cast<uint32_t>(jobs.size());
    tally += work.look_ahead ? search_jobs<true>(work.boards.data(), jobs.data(), count, next,
                                                 frames.data(), stride)
                             : search_jobs<false>(work.boards.data(), jobs.data(), count, next,
                                                  frames.data(), stride);
  }
  return tally;
}

Tally search_on_cpu(const Work& work) {
  return search_on_threads(work, 1, Laps(work.items, 1), [](int64_t) {});
}

TEST(DeviceWork, TheFastSearchFindsAllSolutions) {
  for (int n = 1; n <= 13; ++n) {
    const Tally tally = search_as_device(fast_device_work(n), 3, 1);
    EXPECT_EQ(tally.solutions, kSolutions[static_cast<size_t>(n)]) << "n = " << n;
    if (n < 6) continue;  // the paper's search
    EXPECT_EQ(tally.nodes, search_on_cpu(fast_work(n, Isa::kPlain)).nodes) << "n = " << n;
  }
}

TEST(DeviceWork, ThePapersSearchHasItsSolutionsAndNodes) {
  for (int n = 1; n <= 12; ++n) {
    const Tally tally = search_as_device(paper_device_work(n), 3, 1);
    const Tally cpu = search_on_cpu(paper_work(n));
    EXPECT_EQ(tally.solutions, kSolutions[static_cast<size_t>(n)]) << "n = " << n;
    EXPECT_EQ(tally.nodes, cpu.nodes) << "n = " << n;
  }
}

TEST(DeviceWork, PiecesAddUpToTheWhole) {
  for (const int n : {1, 5, 11}) {
    for (const bool fast : {true, false}) {
      const DeviceWork work = fast ? fast_device_work(n) : paper_device_work(n);
      const Tally whole = search_as_device(work, 3, 1);
      Tally sum;
      for (int64_t number = 1; number <= 7; ++number) {
        sum += search_as_device(piece_of(work, {number, 7}), 3, 1);
      }
      EXPECT_EQ(sum.solutions, kSolutions[static_cast<size_t>(n)]) << "n = " << n;
      EXPECT_EQ(sum.nodes, whole.nodes) << "n = " << n;
    }
  }
}

TEST(DeviceWork, ThreadsMayShareTheFrames) {
  EXPECT_EQ(search_as_device(fast_device_work(11), 1, 64).solutions, kSolutions[11]);
}

TEST(DeviceWork, EveryJobIsInTheFirstRow) {
  for (const int n : {6, 9, 12}) {
    const DeviceWork work = fast_device_work(n);
    Tally above;
    const auto jobs = jobs_of(work, 0, static_cast<int64_t>(work.roots.size()), above);
    ASSERT_FALSE(jobs.empty());
    for (const Job& job : jobs) EXPECT_EQ(static_cast<int>(job.row), work.first_row);
  }
}

/// Checks that a large board has several jobs for every thread of a large device.
TEST(DeviceWork, ALargeBoardHasManyJobs) {
  const DeviceWork work = fast_device_work(19);
  Tally above;
  const auto roots = static_cast<int64_t>(work.roots.size());
  const auto jobs = jobs_of(work, 0, roots / 20, above);
  EXPECT_GT(jobs.size(), 500'000u);
  EXPECT_LE(work.frames, 11);
}

}  // namespace
}  // namespace lapcast::workloads::nqueens
