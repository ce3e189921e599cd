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
/// threads for a CPU, because threads that meet at a barrier lose that and not the sum, as far as
/// others used its CPUs and its own quota did not make it wait; and what the host took. Returns
/// nothing where the system does not tell how long threads waited and what others used, and where
/// others used its GPU: what that costs is not known.
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

/// Returns what samples tell; nothing where none tells what was lost.
std::optional<Disturbance> disturbance_of(std::span<const LoadSample> loads);

/// Returns the share of each lap that was lost to others, by the samples that it lies in; nothing
/// for a lap in no sample that tells it.
std::vector<std::optional<double>> shares_lost(const LapLog& log);

/// Says of which machine a forecast speaks: of one with the work of others beside it, as it was
/// while the laps were measured, or of one without.
enum class Conditions { as_measured, undisturbed };
std::string_view to_string(Conditions conditions);  // "as-measured", "undisturbed"

/// Returns whether a lap of which this share was lost to others counts as undisturbed.
bool is_undisturbed(const std::optional<double>& share_lost);

/// Returns why a log tells nothing about the program without the work of others: nobody looked at
/// the machine, or fewer than 10 laps were undisturbed. Returns nothing where it does.
std::optional<Reason> why_not_undisturbed(const LapLog& log);

/// Returns words such as "others on this machine used 1.2 of its 2 CPUs: laps were slowed by 38 %",
/// where the host took any with ", and its host took 0.2"; where others used the GPU, or it was
/// slowed, "others used its GPU for 40 % of the time". Empty where all that is below 3 %.
std::string describe(const Disturbance& disturbance);

}  // namespace lapcast
