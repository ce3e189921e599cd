#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace re2 {
class RE2;
}

namespace lapcast {

/// Holds what a line of a program's output says about its progress; what it does not say is absent.
struct LineCounters {
  using Field = std::optional<std::int64_t>;
  Field epoch;                    // the number of an epoch
  Field epochs;                   // how many there are
  Field step;                     // of the training, or of the epoch
  Field steps;                    // how many the training, or an epoch, has
  Field samples;                  // of one step
  std::optional<double> seconds;  // that a step took
  /// Gives the seconds of "time=4.39s": the time of what the line reports, or of all since the
  /// begin of the training, which is the same at its first line.
  std::optional<double> line_seconds = {};
  bool is_bar = false;         // a progress bar, whose 0 means that nothing is done yet
  bool has_no_word = false;    // a bar that does not say what it is of: perhaps a preparation
  bool is_validation = false;  // its words say so: the counters are a validation's
  bool has_fraction = false;   // beside the counters, such as a loss: the line reports what is over
  friend bool operator==(const LineCounters&, const LineCounters&) = default;
};

/// Recognises the lines in which a program tells how far it is.
class LinePattern {
 public:
  /// Bounds the memory and the time that a user's expression may take.
  static constexpr std::int64_t kMostMemory = 8 << 20;  // bytes

  /// Returns the pattern of a regular expression of RE2's syntax, with groups named epoch, epochs,
  /// step, steps, samples or seconds, as in "Epoch (?P<epoch>\d+)/(?P<epochs>\d+)". If no group has
  /// a name, the first one is the step and the second one the number of steps, or the epoch and the
  /// number of epochs if the expression has the word epoch. Returns the reason when the expression
  /// is wrong or has a group of another name.
  static Result<LinePattern> of(std::string expression);
  /// Returns the pattern of the usual forms: "Epoch 3/90", "epoch 3, loss 0.1", "step 100/5000",
  /// "iter 100: loss 2.3", the bars of tqdm and Keras, but not bars of preparations ("Loading:").
  static LinePattern usual();

  /// Returns the counters of a line; nothing when the line does not match. A count that is not a
  /// whole number of at most 15 digits is absent.
  std::optional<LineCounters> match(std::string_view line) const;

 private:
  using Groups = std::vector<int>;  // for each capture the index of its field, -1 = none
  struct Form {
    std::shared_ptr<const re2::RE2> expression;
    Groups groups;
    bool is_bar = false;
  };
  void add(const char* expression, bool is_bar = false);
  static bool take(const Form& form, std::string_view line, LineCounters& counters);

  std::vector<Form> forms_;  // every one of them that matches adds what it finds
};

}  // namespace lapcast
