// Checks that any bytes, a .lapcastignore up to the first zero byte and a path after it, are read
// or refused in bounded time, and that a repeated decision is the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "remote/program_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lapcast::Ignored;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = bytes.find('\0');
  const std::string_view path = zero == bytes.npos ? "a/b" : bytes.substr(zero + 1);
  lapcast::IgnoreRules rules = lapcast::IgnoreRules::defaults();
  if (!rules.add(bytes.substr(0, zero))) return 0;
  for (const bool is_folder : {false, true}) {
    const Ignored why = rules.why_ignored(path, is_folder);
    if (rules.why_ignored(path, is_folder) != why) std::abort();
    // Exceptions never ignore a file.
    lapcast::IgnoreRules exceptions = lapcast::IgnoreRules::secrets();
    if (!exceptions.add_exceptions(bytes.substr(0, zero))) std::abort();
    if (exceptions.why_ignored(path, is_folder) == Ignored::by_user) std::abort();
  }
  return 0;
}
