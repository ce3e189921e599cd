#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/run.h"

namespace lapcast {

/// Returns whether a word, perhaps a path, is an interpreter that is given a script: Python or a
/// shell.
bool is_interpreter(std::string_view word);

/// Returns the folder that the program of a run depends on: the one that it was started in, as
/// `python train.py` in another folder is another program. Returns nothing where the program, or
/// the script of an interpreter, is named by its whole path, or where the folder is not known.
std::optional<std::string> folder_of_program(const RunContext& context);

/// Returns whether two runs have the same arguments, and depend on the same folder.
bool is_same_program(const RunContext& a, const RunContext& b);

}  // namespace lapcast
