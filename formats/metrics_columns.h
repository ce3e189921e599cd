#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lapcast {

// Says what the columns of logs of metrics mean by their names.

/// Returns the last part of a name in lower case, without the marks before it: "global_step" for
/// "trainer/global_step", "runtime" for "_runtime", "wall_time" for "Wall time".
std::string plain_name(std::string_view column);

// Plain names, in the order in which they are preferred.
inline constexpr std::string_view kTimesSinceStart[] = {
    "runtime",         "elapsed",   "elapsed_time", "time_elapsed",
    "elapsed_seconds", "wall_time", "walltime",     "relative_time_(process)"};
inline constexpr std::string_view kEpochs[] = {"epoch",        "epochs",        "epoch_num",
                                               "epoch_number", "current_epoch", "tick"};
// The first kSureSteps of them name steps wherever they stand.
inline constexpr std::size_t kSureSteps = 4;
inline constexpr std::string_view kSteps[] = {
    "global_step", "step", "total_timesteps", "timesteps", "iteration", "iter", "steps"};
inline constexpr std::string_view kMoments[] = {"timestamp", "datetime", "date"};
inline constexpr std::string_view kLengths[] = {
    "duration",       "epoch_duration", "epoch_time", "epoch_seconds",
    "time_per_epoch", "train_time",     "seconds",    "time"};

/// Returns the seconds of the unit in which a column has times, by the words of its name; nothing
/// where these do not say that it has times, or whose: "Epoch Time (min)" has minutes.
std::optional<double> unit_of_times(std::string_view column);

/// Returns whether a column of that name counts epochs: "epoch", "Epoch", "trainer/epoch".
bool counts_epochs(std::string_view column);
/// Returns whether a column of that name counts steps: "_step", "global_step"; with `any_name` also
/// where others may be called so, too: "iteration".
bool counts_steps(std::string_view column, bool any_name = false);
/// Returns whether a column of that name has times ("elapsed", "dur", "Epoch Time (s)").
bool names_times(std::string_view column);

/// Returns the seconds in a cell of a table: a number, "MM:SS", "H:MM:SS", or a moment like
/// "2026-08-02 15:16:24" as seconds since 1970; nullopt for any other text.
std::optional<double> cell_number(std::string_view cell);

}  // namespace lapcast
