#include "query/rank_notes.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>
#include <variant>

#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/worker_gpus.h"
#include "query/program_content.h"
#include "query/same_work.h"
#include "query/sweep_state.h"
#include "report/cells.h"

namespace lapcast {

std::optional<std::string> note_on_tax(const Ranking& ranking) {
  const Choice* with = nullptr;
  const Choice* without = nullptr;
  for (const Choice& choice : ranking.chosen)
    if (!std::holds_alternative<Owned>(choice.offer->terms))
      (choice.offer->other.tax > 0 ? with : without) = &choice;
  if (with == nullptr || without == nullptr) return std::nullopt;
  return fmt::format(
      "{} is billed with a tax of {}, {} without: where its price has none in it, `tax` of the "
      "fleet file says how much it is",
      name_of(*with, ranking), format_share(with->offer->other.tax), name_of(*without, ranking));
}

void add_notes_of_candidates(std::vector<std::string>& notes,
                             const std::map<std::string, std::string>& texts, const char* what) {
  constexpr std::size_t kMostTold = 3;
  std::size_t told = 0;
  for (const auto& [candidate, text] : texts)
    if (told++ < kMostTold) notes.push_back(candidate + ": " + text);
  if (told > kMostTold)
    notes.push_back(fmt::format("{} more candidates {}", told - kMostTold, what));
}

std::map<std::string, std::string> paid_parts(std::span<const Run> probes) {
  std::map<std::string, std::string> parts;
  for (const Run& run : probes)
    if (const auto& price = run.context.price; price && is_for_part(*price))
      parts[candidate_name(run.context)] = "its price is that of " + printable(price->name);
  return parts;
}

std::vector<std::string> notes_on_hardware(std::span<const Run> runs) {
  std::set<std::set<std::string>> machines;
  for (const Run& run : runs) {
    std::set<std::string> names{run.context.machine_type.name};
    for (const Run& other : runs)
      if (is_same_work(run.context, other.context)) names.insert(other.context.machine_type.name);
    if (names.size() > 1) machines.insert(std::move(names));
  }
  std::vector<std::string> notes;
  for (const std::set<std::string>& names : machines)
    notes.push_back(
        fmt::format("{} are the same hardware: a ranking gives them one forecast, and only their "
                    "prices differ",
                    fmt::join(names, " and ")));
  return notes;
}

std::vector<std::string> program_changes(const Store& store, std::span<const Run> probes) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<RunContext>> by_sweep;
  for (const Run& probe : probes)
    if (!was_imported(probe.context) && !probe.context.sweep.empty())
      by_sweep[probe.context.sweep].push_back(probe.context);
  for (const Sweep& sweep : store.sweeps()) {
    const auto own = by_sweep.find(sweep.id);
    if (own == by_sweep.end()) continue;
    const ProgramContent now = program_content(own->second);
    std::vector<std::string> changed = changed_since(sweep, now);
    // The sweep's other candidates may have files that these do not have.
    std::erase_if(changed, [&](const std::string& name) { return !now.contains(name); });
    if (!changed.empty())
      lines.push_back(
          fmt::format("the program changed since sweep {}: {}; its forecasts are of the program as "
                      "it was",
                      sweep.id, short_list(changed)));
  }
  return lines;
}

}  // namespace lapcast
