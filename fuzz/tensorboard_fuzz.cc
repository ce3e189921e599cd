// Reads TensorBoard event files of any bytes. Half of the inputs are only the records' data, each
// after its length, and get correct CRCs, because otherwise hardly any record would be read.
#include "core/crc32c.h"
#include "formats/tensorboard.h"

#include "imported_fuzz.h"

static std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

static std::string with_crcs(std::string_view bytes) {
  std::string file;
  while (!bytes.empty()) {
    const std::size_t size =
        std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), bytes.size() - 1);
    const std::string_view data = bytes.substr(1, size);
    const std::string length = little_endian(size, 8);
    file += length + little_endian(lapcast::masked_crc32c(length), 4) + std::string(data) +
            little_endian(lapcast::masked_crc32c(data), 4);
    bytes.remove_prefix(1 + size);
  }
  return file;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string file = data[0] % 2 == 0 ? std::string(bytes) : with_crcs(bytes);
  const std::size_t piece = data[0] / 2 + 1U;
  lapcast::TensorboardReader whole;
  whole.feed(file);
  lapcast::TensorboardReader pieces;
  for (std::size_t at = 0; at < file.size(); at += piece) {
    pieces.feed(std::string_view(file).substr(at, piece));
  }
  const lapcast::ImportedLog imported = whole.finish("fuzz");
  check_imported(imported);
  const lapcast::ImportedLog again = pieces.finish("fuzz");
  require(again.runs == imported.runs && again.problems == imported.problems);
  return 0;
}
