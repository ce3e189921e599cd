#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Holds the files of a program with a hash of the bytes of each: its executable; scripts,
/// executables and configuration files named in its arguments; and what those scripts name or
/// import from their own folders. Data, outputs and checkpoints are not included. Files in the
/// program's folder are named relative to it. Names are safe to show on a terminal.
using ProgramContent = std::map<std::string, std::string>;

/// Reads the files of the programs of all candidates as they are now. Leaves out what is not on
/// this machine. Reads at most 4096 files, 2 GiB in total and 4 MiB of a script; beyond that only
/// the size and time of a file count.
ProgramContent program_content(const std::vector<RunContext>& candidates);

/// Returns the names of the files that differ, or that only one side has. A new configuration file
/// does not count: a program may have written it.
std::vector<std::string> changed_files(const ProgramContent& before, const ProgramContent& now);

/// Returns whether a file is a script or an executable, by its name or its first bytes.
bool is_program_file(const std::filesystem::path& file);

/// Holds the words of a command line or a script that may be file names, and the modules of
/// "-m NAME", each once.
struct NamedInText {
  std::vector<std::string> words;
  std::vector<std::string> modules;
};
NamedInText named_in(std::string_view text);

}  // namespace lapcast
