#include "probe/ids_and_time.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <time.h>

#include <chrono>
#include <fstream>

namespace lapcast {
namespace {

std::string utc(time_t time) {
  tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

std::uint64_t random_seed() {
  std::uint64_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}

std::string new_id() {
  return fmt::format("{:012x}", random_seed() >> 16);
}

std::string utc_now() {
  return utc(time(nullptr));
}

Date today() {
  return date_of(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::string boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return utc(std::strtoll(line.c_str() + 6, nullptr, 10));
  return {};
}

}  // namespace lapcast
