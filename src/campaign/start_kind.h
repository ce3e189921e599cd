#pragma once

#include <set>
#include <string>
#include <utility>

#include "probe/request.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Returns RunContext::start_id of a run that is about to be started: a hash of its folder, of its
/// arguments, of the path, size and time of its executable and of the scripts that the arguments
/// name, of its set-up command, and of its environment. Numbers in arguments and variables do not
/// count, because a batch size or a number of threads does not change what a start reads; nor do
/// variables that only differ between terminals. The environment of a remote program is that of its
/// machine type alone.
std::string start_id_of(const ProbeRequest& request);

/// Decides whether the starts of a campaign are cold or warm. A start is warm only if a run with
/// its start_id has reported laps at the same place: in this campaign or, on this machine, in one
/// of the newest runs of the store since the machine was started. A queue may choose another node
/// each time, so its later starts are unknown.
class Starts {
 public:
  explicit Starts(const Store& store) : store_(store) {}

  /// Requires the start_id in the context.
  StartKind kind_of(const ProbeRequest& request) const;
  /// Records that a run of the context has reported laps.
  void note(const RunContext& context) { with_laps_.insert(key_of(context)); }

 private:
  using Key = std::pair<std::string, std::string>;  // place, start_id
  static Key key_of(const RunContext& context) {
    return {context.place, context.start_id.value_or("")};
  }
  bool has_lately_run(const RunContext& context) const;

  const Store& store_;
  std::set<Key> with_laps_;
};

}  // namespace lapcast
