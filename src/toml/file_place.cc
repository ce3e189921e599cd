#include "toml/file_place.h"

#include "core/error.h"
#include "core/units.h"

namespace lapcast {

void fail_at(const std::string& file, FilePlace place, const std::string& what) {
  throw Error(ExitCode::bad_input, printable(file) + ":" + std::to_string(place.line) + ":" +
                                       std::to_string(place.column) + ": " + what);
}

}  // namespace lapcast
