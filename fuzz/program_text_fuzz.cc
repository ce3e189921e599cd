// Checks that in any bytes as a script, the files that it names and the modules that it imports are
// found without a crash and are not more than the text can hold.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "query/program_content.h"
#include "query/python_imports.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t named = 0;
  for (const lapcast::PythonImport& import : lapcast::python_imports(text)) {
    if (import.level < 0 || static_cast<std::size_t>(import.level) > size) std::abort();
    if (import.level == 0 && import.module.empty()) std::abort();
    ++named;
  }
  if (named > size) std::abort();
  const lapcast::NamedInText words = lapcast::named_in(text);
  if (words.words.size() + words.modules.size() > 2 * size) std::abort();
  return 0;
}
