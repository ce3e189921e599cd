#pragma once

#include <filesystem>

namespace lapcast {

/// Returns the folder of what lapcast must not forget: $XDG_STATE_HOME/lapcast, else
/// ~/.local/state/lapcast. It may be absent. Throws Error (store) without both variables.
std::filesystem::path state_folder();

}  // namespace lapcast
