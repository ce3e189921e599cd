#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Holds the files that make a program, with a hash of the bytes of each: its executable; scripts,
/// executables and configuration files that its arguments name; what those scripts name or import
/// from their own folders. Data, outputs and checkpoints are not among them. A file in the
/// program's folder is named relative to it. Names are safe to show on a terminal.
using ProgramContent = std::map<std::string, std::string>;

/// Reads the files of the programs of all candidates as they are now. What is not on this machine
/// is left out. At most 4096 files, 2 GiB and, of a script, 4 MiB are read; a file beyond that
/// counts by its size and time.
ProgramContent program_content(const std::vector<RunContext>& candidates);

/// Returns the names of the files that differ, or that only one side has. A configuration file that
/// was not there before does not count: a program may have written it.
std::vector<std::string> changed_files(const ProgramContent& before, const ProgramContent& now);

/// Returns whether a file is a script or an executable, by its name or its first bytes.
bool is_program_file(const std::filesystem::path& file);

/// Holds the words of a command line or a script that may name a file, each once, and the modules
/// that "-m NAME" names.
struct NamedInText {
  std::vector<std::string> words;
  std::vector<std::string> modules;
};
/// Finds the words and modules in the text of a command line or a script.
NamedInText named_in(std::string_view text);

}  // namespace lapcast
