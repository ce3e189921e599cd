#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace lapcast {

// On the machine that a program was sent to: FOLDER/work/NAME, and beside it NAME.received, which
// says which state that is.

/// Whether just that state was received, whole.
bool is_received(const std::filesystem::path& work_dir, const std::string& content);

/// Notes that it was: `list` is its hash and the paths of its files, each ended by NUL, and one NUL
/// more, without which it was cut off and is refused. Files that came with an earlier state and are
/// in the list no more are removed; what the program or the set-up command wrote there stays.
Result<void> note_received(const std::filesystem::path& work_dir, std::string_view list);

}  // namespace lapcast
