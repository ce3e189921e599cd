#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns how much of a sample's time the program lost to others: the longest wait of one of its
/// threads for a CPU (threads that meet at a barrier lose that, not the sum), without waits for its
/// own quota and at most what others used of its CPUs, plus what the host took. Returns nothing
/// where the system does not report waits and the use by others, or where others used the program's
/// GPU, whose cost is not known.
std::optional<Seconds> time_lost_in(const LoadSample& load);

/// Says what the rest of a machine did while the program ran.
struct Disturbance {
  Seconds covered{0};      // time of samples that tell what was lost
  double cpus = 0;         // that the program may use
  double others_cpus = 0;  // that all else used, on average
  double host_cpus = 0;    // that the host took from these CPUs, on average
  double lost_share = 0;   // of the covered time
  double gpu_shared = 0;   // share of all sampled time in which others used the program's GPU
  double gpu_slowed = 0;   // likewise, in which heat or a lack of power lowered its clock
};

/// Returns the average over the samples; nothing if no sample tells what was lost or shared.
std::optional<Disturbance> disturbance_of(std::span<const LoadSample> loads);

/// Returns the share of each lap that was lost to others, from the samples that overlap it; nothing
/// for a lap without such a sample.
std::vector<std::optional<double>> shares_lost(const LapLog& log);

/// Says whether a forecast is for a machine on which others work as they did while the laps were
/// measured, or for one without the work of others.
enum class Conditions { as_measured, undisturbed };
std::string_view to_string(Conditions conditions);  // "as-measured", "undisturbed"

/// Returns whether a lap that lost this share to others counts as undisturbed.
bool is_undisturbed(const std::optional<double>& share_lost);

/// Returns why a log does not show the program without the work of others: the machine was not
/// sampled, or fewer than 10 laps were undisturbed. Returns nothing if it does.
std::optional<Reason> why_not_undisturbed(const LapLog& log);

/// Returns a text such as "others on this machine used 1.2 of its 2 CPUs: laps were slowed by
/// 38 %", with ", and its host took 0.2" if the host took any, or "others used its GPU for 40 % of
/// the time" if others used the GPU or it was slowed. Empty if all of these are below 3 %.
std::string describe(const Disturbance& disturbance);

}  // namespace lapcast
