// Reads Keras's CSV logs and stopwatch lines of any bytes.
#include "imported_fuzz.h"

#include "formats/imported.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  check_imported(data[0] % 2 == 0 ? lapcast::import_keras_csv(text, "fuzz.csv")
                                  : lapcast::import_stopwatch_csv(text, "fuzz.csv"));
  return 0;
}
