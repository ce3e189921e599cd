#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "machine/machine_check.h"

namespace lapcast {

/// Of this machine, with lapcast's own folder there (made, private, when it is lacking): some tens
/// of milliseconds, more where Python is slow.
MachineFacts facts_of_this_machine(const std::string& folder);

/// As lines of text, "end" the last; and back from lines of any bytes, which may be damaged.
std::string to_lines(const MachineFacts& facts);
Result<MachineFacts> facts_from_lines(std::string_view lines);

}  // namespace lapcast
