#include "lease/lease_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "posix/files.h"
#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr UtcNs kSecond = 1'000'000'000;

/// Gives the test a folder of its own for what lapcast must not forget.
class LeaseClock : public FolderTest {
 protected:
  LeaseClock() { setenv("XDG_STATE_HOME", folder_.c_str(), 1); }
  ~LeaseClock() override { unsetenv("XDG_STATE_HOME"); }

  std::filesystem::path file() const { return folder_ / "lapcast/lease-clock"; }
  /// Says that UTC was so far ahead of the time since a boot.
  void write(const std::string& boot, UtcNs offset) {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file()) << boot << ' ' << offset << '\n';
  }
  static std::string this_boot() { return read_system_line("/proc/sys/kernel/random/boot_id"); }
  /// Returns how many seconds leases are ahead of UTC.
  static double ahead() {
    return static_cast<double>(lease_now_ns() - clock_ns(CLOCK_REALTIME)) / 1e9;
  }
};

TEST_F(LeaseClock, IsThatOfTheComputerUntilItIsSet) {
  EXPECT_NEAR(ahead(), 0, 60);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(LeaseClock, GoesOnWithTheOffsetOfItsBoot) {
  const UtcNs offset = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
  write(this_boot(), offset - 3600 * kSecond);  // the clock was put forward by an hour since
  EXPECT_NEAR(ahead(), -3600, 60);
  set_lease_clock();
  EXPECT_NEAR(ahead(), 0, 60);
}

TEST_F(LeaseClock, ForgetsAnotherBootAndWhatCannotBeRead) {
  write("another-boot", 5);
  EXPECT_NEAR(ahead(), 0, 60);
  write(this_boot(), 0);
  std::ofstream(file()) << this_boot() << " x\n";
  EXPECT_NEAR(ahead(), 0, 60);
}

}  // namespace
}  // namespace lapcast
