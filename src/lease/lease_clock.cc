#include "lease/lease_clock.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include "posix/files.h"
#include "posix/state_folder.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostClockText = 200;  // bytes

std::filesystem::path clock_file() {
  return state_folder() / "lease-clock";
}

/// Returns what the clock file begins with during this boot.
std::string this_boot() {
  return read_system_line("/proc/sys/kernel/random/boot_id") + " ";
}

/// Returns how far UTC was ahead of the time since the boot; nullopt without a word of this boot.
std::optional<UtcNs> stored_offset() {
  const std::string text = text_of_file(clock_file(), kMostClockText);
  const std::string boot = this_boot();
  if (!text.starts_with(boot)) return std::nullopt;
  UtcNs offset = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + boot.size(), end, offset);
  return read.ec == std::errc() ? std::optional(offset) : std::nullopt;
}

UtcNs offset_now() {
  return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);
}

}  // namespace

UtcNs lease_now_ns() {
  return clock_ns(CLOCK_BOOTTIME) + stored_offset().value_or(offset_now());
}

void set_lease_clock() {
  // Where it cannot be written the computer's clock counts, as long as nobody sets it.
  (void)write_private_file(clock_file(), fmt::format("{}{}\n", this_boot(), offset_now()));
}

}  // namespace lapcast
