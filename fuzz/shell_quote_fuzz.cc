#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "remote/ssh.h"

namespace {

/// Reads back one word by the rules of sh: single quotes protect all but themselves, a backslash
/// outside of them one character. Aborts at anything that has a meaning for a shell.
std::string word_read_by_sh(std::string_view text) {
  std::string word;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      quoted = !quoted;
    } else if (quoted) {
      word += c;
    } else if (c == '\\') {
      if (++i == text.size()) std::abort();
      word += text[i];
    } else {
      if (std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@+")
              .find(c) == std::string_view::npos)
        std::abort();
      word += c;
    }
  }
  if (quoted) std::abort();
  return word;
}

}  // namespace

/// Checks that a shell returns any bytes but NUL unchanged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string quoted = lapcast::shell_quote(text);
    if (quoted.empty() || word_read_by_sh(quoted) != text) std::abort();
  } catch (const lapcast::Error&) {
    if (text.find('\0') == std::string::npos) std::abort();
  }
  return 0;
}
