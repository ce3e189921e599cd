// Splits any bytes at zero bytes into the arguments of a program. Masking keeps their number and
// never shows a secret behind them.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "run/secrets.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string secret = "S3cr3t-of-a-story";
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.find(secret) != std::string_view::npos) return 0;
  lapcast::Run run;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    run.context.program.emplace_back(bytes.substr(0, end));
    if (end == bytes.npos) break;
    bytes.remove_prefix(end + 1);
  }
  run.standard_output.assign(reinterpret_cast<const char*>(data), size);
  run.standard_output += secret;
  run.context.program.push_back("--api-key=" + secret);
  const lapcast::Run masked = lapcast::masked(run);
  require(masked.context.program.size() == run.context.program.size());
  require(masked.context.program.back() == "--api-key=***");
  require(masked.standard_output.find(secret) == std::string::npos);
  require(lapcast::shown_program(run.context).find(secret) == std::string::npos);
  require(lapcast::lacks_secrets(masked.context));
  static_cast<void>(lapcast::masked_text(run.standard_output));
  return 0;
}
