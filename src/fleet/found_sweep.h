#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fleet/program_content.h"
#include "store/store.h"

namespace lapcast {

/// Describes what a command is about to measure.
struct WantedSweep {
  std::string key;
  std::string fleet_file;  // empty = a set of repeated runs
  std::string subject;     // what the set is of
  ProgramContent program;
  bool again = false;  // begin anew, whatever is known
  bool keep = false;   // go on, even though the program changed
};

/// Holds the sweep that a command belongs to, and lines for the user about what was found.
struct FoundSweep {
  Sweep sweep;
  std::vector<std::string> said;
};

/// Returns the newest sweep of the key whose program had the same content; else a new one, which is
/// stored, with what changed since the newest of the key. With `keep` that one goes on. When a new
/// one begins, runs of sweeps over the same fleet file that are still under way are named: nobody
/// follows them from then on.
FoundSweep find_or_begin(Store& store, const WantedSweep& wanted);

/// Returns the files of a sweep's program that have changed since it was begun; none for a sweep
/// whose description does not tell its program.
std::vector<std::string> changed_since(const Sweep& sweep, const ProgramContent& now);

/// Returns a text such as "train.py, lib/layers.py and 3 more".
std::string short_list(const std::vector<std::string>& names);

/// Returns Sweep::description: a JSON object with `program`, the files of the program with the hash
/// of each, and for a set of runs `subject`.
std::string describe_sweep(const std::string& subject, const ProgramContent& program);
/// Returns the program of a description of any bytes; nothing when the description has none.
std::optional<ProgramContent> program_of_description(const std::string& description);

}  // namespace lapcast
