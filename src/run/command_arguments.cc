#include "run/command_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::string_view kEpochNames[] = {
    "epochs",           "epoch",        "num_epochs",   "num_epoch",
    "n_epochs",         "n_epoch",      "nepochs",      "nb_epochs",
    "max_epochs",       "max_epoch",    "total_epochs", "total_epoch",
    "num_train_epochs", "train_epochs", "epochs_num",   "training_epochs"};
// These count the steps of the whole training.
constexpr std::string_view kWholeStepNames[] = {
    "max_steps",          "max_iters",   "max_iter",         "max_iterations",  "max_iteration",
    "total_steps",        "total_iters", "total_iterations", "max_train_steps", "num_train_steps",
    "num_training_steps", "train_steps", "train_iters"};
// These count the steps of the whole training, unless there are epochs.
constexpr std::string_view kStepNames[] = {"steps",   "n_steps",        "num_steps", "iterations",
                                           "iters",   "num_iterations", "num_iters", "n_iter",
                                           "n_iters", "niter"};

constexpr std::string_view kBatchNames[] = {
    "batch", "bs", "batch_size", "batchsize", "train_batch_size", "per_device_train_batch_size"};

// These do not change what is trained.
constexpr std::string_view kOtherNames[] = {
    "seed",   "random_seed", "manual_seed", "run_dir", "run_name", "out",  "out_dir",
    "output", "output_dir",  "log_dir",     "logdir",  "log",      "save", "save_dir"};

template <std::size_t n>
bool is_one_of(const std::string_view (&names)[n], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

/// Holds an argument with a value that is a number above 0.
struct Setting {
  std::string name;  // "num_epochs"
  std::int64_t value = 0;
  std::string text;          // "--num-epochs 20"
  std::size_t value_at = 0;  // the argument that ends with the value
};

/// Returns the whole number of a text such as "20" or "3.0"; 0 for any other.
std::int64_t whole_number(std::string_view text) {
  constexpr double kMost = 1e12;
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
  if (error != std::errc{} || end != last || !(value > 0 && value <= kMost)) return 0;
  return value == std::floor(value) ? static_cast<std::int64_t>(value) : 0;
}

/// Returns "num_epochs" for "--num-epochs", "+train.num_epochs" and "num_epochs".
std::string name_of_argument(std::string_view argument) {
  argument.remove_prefix(std::min(argument.find_first_not_of("-+"), argument.size()));
  if (const std::size_t dot = argument.rfind('.'); dot != argument.npos)
    argument.remove_prefix(dot + 1);
  std::string name(argument);
  std::ranges::replace(name, '-', '_');
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return name;
}

std::vector<Setting> settings_in(std::span<const std::string> program) {
  std::vector<Setting> settings;
  for (std::size_t i = 1; i < program.size(); ++i) {
    const std::string_view argument = program[i];
    const std::size_t equals = argument.find('=');
    if (equals != argument.npos) {
      settings.push_back({name_of_argument(argument.substr(0, equals)),
                          whole_number(argument.substr(equals + 1)), program[i], i});
    } else if (argument.starts_with('-') && i + 1 < program.size()) {
      settings.push_back({name_of_argument(argument), whole_number(program[i + 1]),
                          program[i] + " " + program[i + 1], i + 1});
    }
  }
  std::erase_if(settings, [](const Setting& setting) { return setting.value == 0; });
  return settings;
}

/// Returns a path without its folders; any other text as it is.
std::string without_folders(std::string_view text) {
  while (text.size() > 1 && text.ends_with('/')) text.remove_suffix(1);
  const std::size_t slash = text.rfind('/');
  return std::string(slash == text.npos || text.size() == 1 ? text : text.substr(slash + 1));
}

}  // namespace

std::optional<TrainingPlan> length_in_command(std::span<const std::string> program) {
  const Setting* found[3] = {};
  bool agree[3] = {true, true, true};
  const std::vector<Setting> settings = settings_in(program);
  for (const Setting& setting : settings) {
    const int kind = is_one_of(kEpochNames, setting.name)       ? 0
                     : is_one_of(kWholeStepNames, setting.name) ? 1
                     : is_one_of(kStepNames, setting.name)      ? 2
                                                                : -1;
    if (kind < 0) continue;
    // If an argument is given twice, the last one counts.
    const Setting* const other = found[kind];
    if (other != nullptr && other->name != setting.name && other->value != setting.value)
      agree[kind] = false;
    found[kind] = &setting;
  }
  const auto [epochs, whole_steps, steps] = found;
  if (epochs != nullptr && whole_steps != nullptr) return std::nullopt;
  const int kind = epochs != nullptr ? 0 : whole_steps != nullptr ? 1 : 2;
  if (found[kind] == nullptr || !agree[kind]) return std::nullopt;
  TrainingPlan length;
  (kind == 0 ? length.epochs : length.steps) = found[kind]->value;
  length.from = fmt::format("`{}` in its command", printable(found[kind]->text, 60));
  return length;
}

std::optional<BatchInCommand> batch_in_command(std::span<const std::string> program) {
  std::optional<BatchInCommand> batch;
  for (const Setting& setting : settings_in(program)) {
    if (!is_one_of(kBatchNames, setting.name)) continue;
    batch = BatchInCommand{setting.value, {program.begin(), program.end()}};
    std::string& argument = batch->program[setting.value_at];
    const std::size_t equals = argument.find('=');
    argument = (equals == argument.npos ? "" : argument.substr(0, equals + 1)) + "{batch}";
  }
  return batch;
}

std::optional<std::int64_t> number_in_command(std::span<const std::string> program,
                                              std::span<const std::string_view> names) {
  std::optional<std::int64_t> found;
  for (const Setting& setting : settings_in(program))
    if (std::ranges::find(names, setting.name) != names.end()) found = setting.value;
  return found;
}

std::vector<std::string> training_arguments(std::span<const std::string> program) {
  std::vector<std::string> options, words;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const std::string& argument = program[i];
    const std::size_t equals = argument.find('=');
    const bool has_name = i > 0 && (argument.starts_with('-') || equals != argument.npos);
    if (!has_name) {
      words.push_back(without_folders(argument));
      continue;
    }
    std::string option = argument.substr(0, equals);
    std::string value = equals == argument.npos ? "" : argument.substr(equals + 1);
    if (equals == argument.npos && i + 1 < program.size() && !program[i + 1].starts_with('-'))
      value = program[++i];
    if (is_one_of(kOtherNames, name_of_argument(option))) continue;
    options.push_back(value.empty() ? option : option + " " + without_folders(value));
  }
  std::ranges::sort(options);
  options.insert(options.end(), words.begin(), words.end());
  return options;
}

}  // namespace lapcast
