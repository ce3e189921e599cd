// Checks that MLPerf logs of any bytes give runs that a store keeps, with whole lap logs, or
// problems of one line, and the same for pieces of any size.
#include "formats/mllog_reader.h"

#include "imported_fuzz.h"

static lapcast::ImportedLog read(std::string_view text, std::size_t piece) {
  lapcast::MllogReader reader;
  for (std::size_t at = 0; at < text.size(); at += std::min(piece, text.size() - at)) {
    reader.feed(text.substr(at, piece));
  }
  return reader.finish("fuzz.log");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const lapcast::ImportedLog whole = read(text, text.size() + 1);
  check_imported(whole);
  const lapcast::ImportedLog pieces = read(text, data[0] + 1U);
  require(pieces.runs == whole.runs && pieces.problems == whole.problems);
  return 0;
}
