#include "run/kept_logs.h"

#include <utility>

namespace lapcast {

std::shared_ptr<const LapLog> KeptLogs::find(const Key& key) const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return nullptr;
  const auto found = logs_.find(key);
  return found == logs_.end() ? nullptr : found->second.log;
}

void KeptLogs::keep(Key key, std::shared_ptr<const LapLog> log, std::size_t bytes) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || logs_.contains(key)) return;
  bytes += sizeof(LapLog);
  while (!logs_.empty() && bytes_ + bytes > kMostBytes) {
    // A hash chooses the log to drop. If it were the oldest, walks over more logs than there is
    // room for would find nothing.
    auto gone = logs_.lower_bound({key.hash * 31 + logs_.size(), ""});
    if (gone == logs_.end()) gone = logs_.begin();
    bytes_ -= gone->second.bytes;
    logs_.erase(gone);
  }
  bytes_ += bytes;
  logs_.emplace(std::move(key), Kept{std::move(log), bytes});
}

}  // namespace lapcast
