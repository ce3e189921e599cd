#include "posix/state_folder.h"

#include <cstdlib>

#include "core/error.h"

namespace lapcast {

std::filesystem::path state_folder() {
  const auto value = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::filesystem::path(text == nullptr ? "" : text);
  };
  // The XDG rule is to ignore a name that is not absolute.
  if (const auto state = value("XDG_STATE_HOME"); state.is_absolute()) return state / "lapcast";
  if (const auto home = value("HOME"); !home.empty()) return home / ".local/state/lapcast";
  throw Error(ExitCode::store_failed,
              "no place for the ledger of rented machines: HOME is not set; set XDG_STATE_HOME");
}

}  // namespace lapcast
