#include "probe/ids_and_time.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <chrono>

#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"

namespace lapcast {
namespace {

std::chrono::sys_seconds system_now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
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

std::string new_token() {
  std::string token;
  while (token.size() < 64) token += fmt::format("{:016x}", random_seed());
  return token;
}

std::string utc_now() {
  return utc_text(system_now());
}

Date today() {
  return date_of(system_now());
}

}  // namespace lapcast
