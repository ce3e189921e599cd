// Reads DAWNBench entries of any bytes: the JSON ends at the first zero byte, the TSV follows it.
#include "formats/imported.h"

#include "imported_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t zero = std::min(bytes.find('\0'), bytes.size());
  const std::string_view tsv = bytes.substr(std::min(zero + 1, bytes.size()));
  check_imported(lapcast::import_dawnbench(bytes.substr(0, zero), tsv, "CIFAR10/fuzz"));
  return 0;
}
