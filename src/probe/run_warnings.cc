#include "probe/run_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "probe/foreign_files.h"

namespace lapcast {
namespace {

std::string of_damage(const Damage& damage) {
  if (damage.lines == 0) return "lap log: " + damage.what;
  return fmt::format("{} damaged lines in the lap log, the first at byte {}: {}", damage.lines,
                     damage.first_offset, damage.what);
}

}  // namespace

std::vector<std::string> warnings_about(const Run& run, const LapLog& log, int killed_processes) {
  std::vector<std::string> warnings;
  if (log.damage) warnings.push_back(of_damage(*log.damage));
  if (killed_processes > 0)
    warnings.push_back(
        fmt::format("{} processes outlived the program and were killed", killed_processes));
  if (!log.epochs.empty() && log.epochs.front().epoch > 1)
    warnings.push_back(fmt::format("the program resumed: its first epoch was number {}",
                                   log.epochs.front().epoch));
  else if (says_resumed(run.standard_output) || says_resumed(run.standard_error))
    warnings.push_back("the program says that it resumed from a checkpoint");
  return warnings;
}

std::string warning_of_foreign_files(const std::vector<std::string>& files) {
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, files.size()); ++i)
    names += (i == 0 ? "" : ", ") + printable(files[i]);
  if (files.empty()) return "";
  if (files.size() > kNamed) names += fmt::format(" and {} more", files.size() - kNamed);
  return fmt::format(
      "the program wrote outside its run folder: {}; use {{run_dir}} or LAPCAST_RUN_DIR", names);
}

}  // namespace lapcast
