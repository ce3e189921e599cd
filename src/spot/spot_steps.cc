#include "spot/spot_steps.h"

namespace lapcast {

std::string_view to_string(SpotActivity what) {
  switch (what) {
    case SpotActivity::boot:
      return "boot";
    case SpotActivity::work:
      return "work";
    case SpotActivity::checkpoint:
      return "checkpoint";
    case SpotActivity::lost:
      return "lost work";
    case SpotActivity::restart:
      return "restart";
    case SpotActivity::waiting:
      break;
  }
  return "waiting";
}

void SpotSteps::add(SpotActivity what, double seconds, std::uint64_t checkpoints) {
  const Seconds begin = now_;
  now_ += Seconds{seconds};
  if (!(seconds > 0)) return;
  if (steps_.size() < most_)
    steps_.push_back({what, begin, now_, checkpoints});
  else
    is_cut_ = true;
}

void SpotSteps::add(const SpotSession& session, double interval, double checkpoint) {
  constexpr double kMostSaves = 100;
  add(session.is_first ? SpotActivity::boot : SpotActivity::restart, session.starting);
  if (session.intervals > kMostSaves) {
    add(SpotActivity::work, session.intervals * (interval + checkpoint),
        static_cast<std::uint64_t>(session.intervals));
  } else {
    for (int i = 0; i < static_cast<int>(session.intervals); ++i) {
      add(SpotActivity::work, interval);
      add(SpotActivity::checkpoint, checkpoint);
    }
  }
  add(SpotActivity::work, session.last_work);
  if (session.was_saved) add(SpotActivity::checkpoint, checkpoint);
  add(SpotActivity::lost, session.lost);
}

}  // namespace lapcast
