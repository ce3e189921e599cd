#include "remote/slurm_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "core/units.h"
#include "machine/proc_text.h"
#include "remote/node_type_names.h"
#include "remote/slurm_text.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostTypes = 1000;
constexpr std::size_t kMostNames = 1'000'000;        // of nodes, in all rows
constexpr std::size_t kLongestNodeLists = 64 << 10;  // together; they become arguments

/// Lists fields in the order in which read_row() reads them.
const std::vector<std::string_view> kNodeFields{"%P", "%c", "%z", "%m", "%f", "%G", "%l",
                                                "%N", "%D", "%T", "%a", "%p", "%M"};

/// Holds what a line of sinfo says: some nodes of one partition.
struct Row {
  NodeType type;
  std::vector<std::string> nodes;
  std::int64_t tier = 0;  // a job of a higher one may take the place of a job of a lower one
  bool can_be_preempted = false;  // the jobs of this partition, which is up
};

bool has_only(std::string_view text, std::string_view further) {
  return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           further.find(c) != std::string_view::npos;
  });
}

/// Returns "gpu:a100:4,craynetwork:2" for "gpu:a100:4(S:0-1),craynetwork:2".
std::string without_brackets(std::string_view text) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) out += c;
    if (c == ')' && depth > 0) --depth;
  }
  return out;
}

std::vector<std::string> features_of(std::string_view field) {
  std::vector<std::string> features;
  for (const std::string_view feature : split(slurm_value(field), ',')) {
    if (!feature.empty()) features.push_back(printable(feature, 100));
  }
  std::sort(features.begin(), features.end());
  return features;
}

Result<Row> read_row(const std::vector<std::string_view>& row) {
  Row read;
  NodeType& type = read.type;
  std::string_view partition = trimmed(row[0]);
  if (partition.ends_with('*')) partition.remove_suffix(1);  // the default one
  const auto cpus = parse_integer(row[1]);
  const auto memory = parse_integer(row[3]);
  const auto nodes = parse_integer(row[8]);
  if (!has_only(partition, "_-.+@:") || partition.size() > 100)
    return because("sinfo names the partition '" + printable(row[0], 100) + "'");
  if (!cpus || *cpus <= 0 || *cpus > 1'000'000 || !memory || *memory < 0 ||
      *memory > (std::int64_t{1} << 40) || !nodes || *nodes <= 0 || *nodes > 10'000'000)
    return because("sinfo says a node has " + printable(row[1], 40) + " CPUs and " +
                   printable(row[3], 40) + " MiB of memory");
  if (!has_only(trimmed(row[7]), "_-.,[]"))
    return because("sinfo names the nodes '" + printable(row[7], 100) + "'");
  const auto tier = parse_integer(row[11]);
  if (!tier) return because("sinfo says a partition has the tier " + printable(row[11], 40));
  type.partition = std::string(partition);
  type.cpus = *cpus;
  type.layout = printable(slurm_value(row[2]), 40);
  type.memory_mib = *memory;
  type.features = features_of(row[4]);
  type.gres = printable(without_brackets(slurm_value(row[5])), 200);
  type.time_limit_ns = slurm_duration_ns(row[6]).value_or(0);
  type.node_list = std::string(trimmed(row[7]));
  type.nodes = *nodes;
  const bool is_up = trimmed(row[10]) == "up";
  const std::string why = is_up ? why_unusable(trimmed(row[9])) : "in a partition that is not up";
  type.usable = why.empty() ? type.nodes : 0;
  if (!why.empty()) type.states.push_back(why);
  read.tier = *tier;
  read.can_be_preempted = is_up && trimmed(row[12]) != "OFF";
  return read;
}

bool same_hardware(const NodeType& a, const NodeType& b) {
  return a.cpus == b.cpus && a.layout == b.layout && a.memory_mib == b.memory_mib &&
         a.features == b.features && a.gres == b.gres;
}

/// Collects the nodes of one kind of hardware, which may be in several partitions.
struct Kind {
  NodeType type;
  std::vector<Row> rows;
  std::vector<std::string> partitions;
  std::vector<std::string> lists;  // of nodes, as sinfo prints them
  std::set<std::string> nodes;
  std::set<std::string> usable;
  std::map<std::string, std::set<std::string>> unusable;  // by why
};

/// Returns the names in a list such as "gpu[1-4,07],old7"; nullopt for more than `most`, and for
/// what is not such a list.
std::optional<std::vector<std::string>> nodes_of(const std::string& list, std::size_t most) {
  constexpr std::size_t kMostDigits = 10;
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t bracket = list.find('[', begin);
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    if (bracket > comma) {
      names.push_back(list.substr(begin, comma - begin));
      begin = comma + 1;
      continue;
    }
    const std::size_t end = std::min(list.find(']', bracket), list.size());
    const std::string stem = list.substr(begin, bracket - begin);
    for (const std::string_view range :
         split(std::string_view(list).substr(bracket + 1, end - bracket - 1), ',')) {
      const std::size_t dash = range.find('-');
      const std::string_view from = range.substr(0, dash);
      const auto first = parse_integer(from);
      const auto last =
          dash == std::string_view::npos ? first : parse_integer(range.substr(dash + 1));
      if (!first || !last || from.size() > kMostDigits) return std::nullopt;
      for (std::int64_t n = *first; n <= *last; ++n) {
        if (names.size() == most) return std::nullopt;
        names.push_back(fmt::format("{}{:0{}}", stem, n, from.size()));
      }
    }
    begin = std::min(list.find(',', end), list.size()) + 1;
    if (names.size() > most) return std::nullopt;
  }
  return names;
}

/// Returns the partitions of a kind whose jobs can put running jobs of another one out of a node of
/// this kind. At least one partition is none of them: the lowest.
std::set<std::string> preempting_partitions(const std::vector<Row>& rows) {
  std::map<std::string_view, std::int64_t> lowest;  // tier of what can be preempted, by node
  for (const Row& row : rows) {
    if (!row.can_be_preempted) continue;
    for (const std::string& node : row.nodes) {
      std::int64_t& tier = lowest.try_emplace(node, row.tier).first->second;
      tier = std::min(tier, row.tier);
    }
  }
  std::set<std::string> preempting;
  for (const Row& row : rows) {
    const bool preempts = std::ranges::any_of(row.nodes, [&](const std::string& node) {
      const auto found = lowest.find(node);
      return found != lowest.end() && found->second < row.tier;
    });
    if (preempts) preempting.insert(row.type.partition);
  }
  return preempting;
}

void add_row(Kind& kind, const NodeType& row, const std::vector<std::string>& nodes) {
  const bool is_first = kind.partitions.empty();
  if (std::ranges::find(kind.partitions, row.partition) == kind.partitions.end())
    kind.partitions.push_back(row.partition);
  kind.nodes.insert(nodes.begin(), nodes.end());
  if (row.usable > 0) kind.usable.insert(nodes.begin(), nodes.end());
  for (const std::string& why : row.states) kind.unusable[why].insert(nodes.begin(), nodes.end());
  std::int64_t& shortest = kind.type.time_limit_ns;
  std::int64_t& longest = kind.type.longest_limit_ns;
  const std::int64_t limit = row.time_limit_ns;
  if (is_first || (limit > 0 && (shortest == 0 || limit < shortest))) shortest = limit;
  if (is_first || limit == 0 || (longest > 0 && limit > longest)) longest = limit;
  if (std::ranges::find(kind.lists, row.node_list) == kind.lists.end())
    kind.lists.push_back(row.node_list);
}

NodeType type_of(Kind kind) {
  const std::set<std::string> preempting = preempting_partitions(kind.rows);
  for (const Row& row : kind.rows)
    if (!preempting.contains(row.type.partition)) add_row(kind, row.type, row.nodes);
  kind.type.preempting.assign(preempting.begin(), preempting.end());
  kind.type.partition = fmt::format("{}", fmt::join(kind.partitions, ","));
  kind.type.node_list = fmt::format("{}", fmt::join(kind.lists, ","));
  kind.type.nodes = std::ssize(kind.nodes);
  kind.type.usable = std::ssize(kind.usable);
  kind.type.states.clear();
  for (const auto& [why, nodes] : kind.unusable)  // a node may be usable in another partition
    if (!std::ranges::includes(kind.usable, nodes)) kind.type.states.push_back(why);
  return std::move(kind.type);
}

bool has_all(const NodeType& type, const std::vector<std::string>& features) {
  return std::includes(type.features.begin(), type.features.end(), features.begin(),
                       features.end());
}

/// Returns the part of a node's gres that a job asks for: all its GPUs. Network and shares of a GPU
/// are not part of a machine type.
std::string askable(const std::string& gres) {
  std::string text;
  for (const std::string_view one : split(gres, ',')) {
    const auto parts = split(one, ':');
    if (parts[0] != "gpu" || parts.size() > 3 || !has_only(one, "_-.:")) continue;
    text += (text.empty() ? "" : ",") + std::string(one);
  }
  return text;
}

/// Asks by features if these distinguish the type from all others of its partition, else by
/// excluding the others' nodes.
void choose_place(NodeType& type, const std::vector<const NodeType*>& others) {
  type.place.partition = type.partition;
  type.place.gres = askable(type.gres);
  if (others.empty()) return;
  const bool plain = std::all_of(type.features.begin(), type.features.end(),
                                 [](const std::string& name) { return has_only(name, "_-.:+@"); });
  const bool alone = std::none_of(others.begin(), others.end(), [&](const NodeType* other) {
    return has_all(*other, type.features);
  });
  if (plain && alone) {
    type.place.constraint = fmt::format("{}", fmt::join(type.features, "&"));
    return;
  }
  std::vector<std::string_view> lists;
  for (const NodeType* other : others) lists.push_back(other->node_list);
  type.place.flags.push_back(fmt::format("--exclude={}", fmt::join(lists, ",")));
}

bool share_a_partition(const NodeType& a, const NodeType& b) {
  const auto names = split(b.partition, ',');
  return std::ranges::any_of(split(a.partition, ','), [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  });
}

void choose_places(std::vector<NodeType>& types) {
  for (NodeType& type : types) {
    std::vector<const NodeType*> others;
    for (const NodeType& other : types)
      if (&other != &type && share_a_partition(other, type)) others.push_back(&other);
    choose_place(type, others);
  }
}

}  // namespace

std::vector<std::string> sinfo_options(const std::string& partition, bool tiers) {
  std::vector<std::string_view> fields = kNodeFields;
  if (!tiers) std::ranges::copy(std::array<std::string_view, 2>{"1", "OFF"}, fields.end() - 2);
  return {"--noheader", "--exact", "--format=" + slurm_format(fields),
          partition.empty() ? "--all" : "--partition=" + partition};
}

Result<std::vector<NodeType>> parse_sinfo(std::string_view text) {
  const auto rows = slurm_rows(text, kNodeFields.size());
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Kind> kinds;
  std::size_t names_left = kMostNames;
  for (const auto& row : *rows) {
    if (parse_integer(row[8]) == 0)
      continue;  // a partition whose nodes are hidden, or that has none
    Result<Row> read = read_row(row);
    if (!read) return tl::unexpected(read.error());
    auto nodes = nodes_of(read->type.node_list, names_left);
    if (!nodes) return because("sinfo names more than 1,000,000 nodes, or not as a list of them");
    names_left -= nodes->size();
    read->nodes = std::move(*nodes);
    auto same = std::ranges::find_if(
        kinds, [&](const Kind& kind) { return same_hardware(kind.type, read->type); });
    if (same == kinds.end()) same = kinds.insert(kinds.end(), Kind{read->type, {}, {}, {}, {}, {}});
    same->rows.push_back(std::move(*read));
    if (kinds.size() > kMostTypes) return because("sinfo shows more than 1000 types of nodes");
  }
  std::vector<NodeType> types;
  std::size_t list_bytes = 0;
  for (Kind& kind : kinds) {
    types.push_back(type_of(std::move(kind)));
    list_bytes += types.back().node_list.size() + 1;
    if (list_bytes > kLongestNodeLists) return because("sinfo names nodes in more than 64 KiB");
  }
  name_types(types);
  choose_places(types);
  return types;
}

bool is_only_reserved(const NodeType& type) {
  return type.usable == 0 && type.states == std::vector<std::string>{"reserved"};
}

bool can_have(const Place& asked, const NodeType& type) {
  if (type.usable > 0) return true;
  const auto* const slurm = std::get_if<SlurmPlace>(&asked);
  return is_only_reserved(type) && slurm != nullptr &&
         std::ranges::any_of(slurm->flags, [](const std::string& flag) {
           return flag.starts_with("--reservation=");
         });
}

Place cluster_at(const std::string& login, const std::string& partition) {
  return SlurmPlace{.login = login, .partition = partition};
}

Place narrowed_to(const Place& asked, const NodeType& type) {
  SlurmPlace place = std::get<SlurmPlace>(asked);
  place.partition = type.place.partition;
  place.constraint = type.place.constraint;
  place.gres = type.place.gres;
  place.flags.insert(place.flags.end(), type.place.flags.begin(), type.place.flags.end());
  return place;
}

}  // namespace lapcast
