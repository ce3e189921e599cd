#include "common/device_clock.h"

#include <ATen/ATen.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/device.h"
#include "common/device_allocator.h"

namespace lapcast::workloads {
namespace {

constexpr int64_t kMs = 1'000'000;

/// Imitates devices whose work is queued. The test moves the host's clock.
struct Queues {
  int64_t host = 1000 * kMs;
  std::array<int64_t, 2> ends = {};  // of the work that is queued
  bool are_timed = true;
  int waits = 0;
  int events = 0;  // that were made

  void work(size_t device, int64_t ms) { ends[device] = std::max(ends[device], host) + ms * kMs; }
};
Queues queues;

constexpr auto kDevice = c10::DeviceType::PrivateUse1;

struct QueuedGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kDevice; }
  c10::Device exchangeDevice(c10::Device device) const override { return device; }
  c10::Device getDevice() const override { return {kDevice, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 2; }

  void record(void** event, const c10::Stream& stream, c10::DeviceIndex,
              c10::EventFlag flag) const override {
    TORCH_CHECK(flag == c10::EventFlag::BACKEND_DEFAULT, "an event without times");
    if (!*event) *event = new int64_t, ++queues.events;
    const auto device = static_cast<size_t>(stream.device_index());
    *static_cast<int64_t*>(*event) = std::max(queues.ends[device], queues.host);
  }
  bool queryEvent(void* event) const override { return time_of(event) <= queues.host; }
  void synchronizeEvent(void* event) const override {
    ++queues.waits;
    queues.host = std::max(queues.host, time_of(event));
  }
  double elapsedTime(void* first, void* second, c10::DeviceIndex) const override {
    TORCH_CHECK(queues.are_timed, "events have no times");
    return static_cast<float>(time_of(second) - time_of(first)) / kMs;
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<int64_t*>(event);
  }

  static int64_t time_of(void* event) { return *static_cast<int64_t*>(event); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, QueuedGuard);

class DeviceClockTest : public testing::Test {
 protected:
  DeviceClockTest() { queues = {}; }

  DeviceClock clock(int devices) {
    std::vector<c10::Device> all;
    for (int i = 0; i < devices; ++i) all.emplace_back(kDevice, static_cast<c10::DeviceIndex>(i));
    return {all, [this](int64_t lap, int64_t at_ns) { ends_.emplace_back(lap, at_ns / kMs); },
            [] { return queues.host; }};
  }

  using Ends = std::vector<std::pair<int64_t, int64_t>>;  // lap, ms
  Ends ends_;
};

/// Each lap is queued in 1 ms and takes 80 ms, after 1,000 ms on an empty device: laps end at
/// 1,081, 1,161, 1,241.
TEST_F(DeviceClockTest, ReportsTheEndsOfLapsWithoutWaits) {
  DeviceClock device = clock(1);
  device.tie();
  EXPECT_EQ(queues.waits, 1);
  for (int lap = 1; lap <= 3; ++lap) {
    queues.host += kMs;
    queues.work(0, 80);
    device.mark(lap);
  }
  EXPECT_TRUE(ends_.empty());
  queues.host = 1170 * kMs;
  queues.work(0, 80);
  device.mark(4);
  EXPECT_EQ(ends_, (Ends{{1, 1081}, {2, 1161}}));
  EXPECT_EQ(queues.waits, 1);
  device.tie();  // as before a validation
  EXPECT_EQ(ends_, (Ends{{1, 1081}, {2, 1161}, {3, 1241}, {4, 1321}}));
  // The device idles for 100 ms; a lap of 5 ms follows.
  queues.host += 100 * kMs;
  queues.work(0, 5);
  device.mark(5);
  queues.host += 50 * kMs;
  device.mark(6);
  EXPECT_EQ(ends_.back(), (std::pair<int64_t, int64_t>{5, 1426}));
}

TEST_F(DeviceClockTest, TheLatestOfSeveralDevicesCounts) {
  DeviceClock both = clock(2);
  both.tie();
  for (int lap = 1; lap <= 2; ++lap) {
    queues.work(0, 10);
    queues.work(1, lap == 1 ? 30 : 2);
    both.mark(lap);
  }
  queues.host += 20 * kMs;
  both.mark(3);
  EXPECT_TRUE(ends_.empty());  // One has done both laps, the other none.
  both.tie();
  EXPECT_EQ(ends_, (Ends{{1, 1030}, {2, 1032}, {3, 1032}}));
}

TEST_F(DeviceClockTest, ADeviceWithoutTimedEventsReportsNothing) {
  queues.are_timed = false;
  DeviceClock device = clock(1);
  EXPECT_NO_THROW(device.tie());
  queues.work(0, 10);
  device.mark(1);
  queues.host += 20 * kMs;
  EXPECT_NO_THROW(device.mark(2));
  EXPECT_NO_THROW(device.tie());
  EXPECT_TRUE(ends_.empty());
  DeviceClock unknown(
      {c10::Device(c10::kXPU, 0)}, [](int64_t, int64_t) {},
      [] { return queues.host; });  // not a part of this LibTorch
  EXPECT_NO_THROW(unknown.tie());
  EXPECT_NO_THROW(unknown.mark(1));
}

/// 100 laps are queued before the first ends: 64 have an event, and the last ones share the time up
/// to the next that has one.
TEST_F(DeviceClockTest, KeepsASmallRingOfEvents) {
  DeviceClock device = clock(1);
  device.tie();
  for (int lap = 1; lap <= 100; ++lap) {
    queues.work(0, 10);
    device.mark(lap);
  }
  queues.host += 1000 * kMs;
  queues.work(0, 10);
  device.mark(101);
  device.tie();
  ASSERT_EQ(ends_.size(), 65u);
  EXPECT_EQ(ends_[63], (std::pair<int64_t, int64_t>{64, 1640}));
  EXPECT_EQ(ends_[64], (std::pair<int64_t, int64_t>{101, 2010}));
  const int made = queues.events;
  for (int lap = 102; lap <= 160; ++lap) {
    queues.host += 20 * kMs;
    queues.work(0, 10);
    device.mark(lap);
  }
  EXPECT_EQ(queues.events, made);
}

TEST_F(DeviceClockTest, NoEndIsInTheFuture) {
  DeviceClock device = clock(1);
  queues.work(0, 40);
  device.tie();
  queues.work(0, 10);
  device.mark(1);
  queues.host += 10 * kMs;
  device.mark(2);
  EXPECT_EQ(ends_, (Ends{{1, 1050}}));
}

#ifdef LAPCAST_DEVICE_ALLOCATOR
/// Says that device 0 has held 300 bytes at most, and device 1 5.
struct TellingAllocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t) override { return {}; }
  void copy_data(void*, const void*, size_t) const override {}
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.reserved_bytes[0].increase(device == 0 ? 300 : 5);
    stats.reserved_bytes[0].decrease(5);
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
};

TEST(MostBytesHeld, IsThePeakOfAllDevices) {
  static TellingAllocator allocator;
  c10::SetAllocator(kDevice, &allocator);
  EXPECT_EQ(most_bytes_held({{kDevice, 0}}), 300);
  EXPECT_EQ(most_bytes_held({{kDevice, 0}, {kDevice, 1}}), 305);
  EXPECT_EQ(most_bytes_held({c10::kCPU}), 0);
  EXPECT_EQ(most_bytes_held({{c10::kCUDA, 0}}), 0);  // no allocator: its part is not loaded
}
#endif

}  // namespace
}  // namespace lapcast::workloads
