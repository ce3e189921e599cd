#pragma once

#include <string_view>

#include "remote/remote_request.h"

namespace lapcast {

inline constexpr std::string_view kRequestFormat = "lapcast-request";
inline constexpr int kRequestVersion = 1;

// These functions list the keys of a request in JSON once for both directions, as run/run_fields.h
// does: they call an archive with each key and member. A key that is missing keeps its member's
// default.

template <class Archive, class L>
void limits_fields(Archive& archive, L& limits) {
  archive("precision", limits.precision);
  archive("max_laps", limits.max_laps);
  archive("budget_s", limits.budget);
  archive("grace_s", limits.grace);
  archive("max_log_bytes", limits.max_log_bytes);
  archive("to_the_end", limits.to_the_end);
}

template <class Archive, class W>
void watch_fields(Archive& archive, W& watch) {
  archive("max_time_s", watch.limits.max_time);
  archive("max_cost_usd", watch.limits.max_cost);
  archive("stop", watch.limits.stop);
}

template <class Archive, class R>
void resume_fields(Archive& archive, R& resume) {
  archive("arguments", resume.arguments);
  archive("checkpoints", resume.checkpoints);
}

template <class Archive, class D>
void data_fields(Archive& archive, D& data) {
  archive("path", data.path);
  archive("bytes", data.bytes);
  archive("source", data.source);
}

template <class Archive, class S>
void slurm_fields(Archive& archive, S& slurm) {
  archive("login", slurm.login);
  archive("partition", slurm.partition);
  archive("constraint", slurm.constraint);
  archive("gres", slurm.gres);
  archive("account", slurm.account);
  archive("time_limit_ns", slurm.time_limit_ns);
  archive("flags", slurm.flags);
}

template <class Archive, class S>
void site_fields(Archive& archive, S& site) {
  archive("place", site.place);
  archive("group", site.group);
  archive("folder", site.folder);
  archive("needs", site.needs);
  archive("setup", site.setup);
  archive("data", site.data);
}

template <class Archive, class R>
void round_fields(Archive& archive, R& round) {
  archive("laps", round.laps);
  archive("ran_s", round.ran);
}

template <class Archive, class R>
void request_fields(Archive& archive, R& request) {
  archive("limits", request.probe.limits);
  archive("keep_run_folder", request.probe.keep_run_folder);
  archive("hook", request.probe.hook);
  archive("watch", request.probe.watch);
  archive("round", request.probe.round);
  archive("resume", request.probe.resume);
  archive("site", request.probe.site);
  archive("work", request.work);
  archive("content", request.content);
}

}  // namespace lapcast
