#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lap/output_line.h"

namespace lapcast {

/// Is a line of output as text with whole numbers in it, so that lines of one kind have one text.
struct LineTemplate {
  std::string text;  // without blanks: '#' for a whole number, '~' for a fraction, a time or a date
  std::vector<std::int64_t> numbers;  // of each '#'
  std::vector<std::size_t> places;    // of each '#' in the text
  std::vector<std::size_t> begins;    // of each of these numbers in the line
};

/// Returns the template of the first 512 bytes of a line.
LineTemplate line_template(std::string_view line);

/// Recognises lines of any form by what their numbers did in lines that were seen before. The
/// counter of steps is a number beside one that stays ("50/100") and that grows by as much from
/// line to line, and falls only where an epoch ends; the number that then grows by one counts
/// epochs. Without one that stays, it is a number at the begin of the line or alone in brackets
/// ("[17] train-auc:0.81") that grows by as much in every line, before a fraction. A word tells
/// that the lines are of a training ("loss", "iter"), and another one that they are of a
/// validation. Lines of numbers alone are a table: the words are those of the line that names its
/// columns, and a column that grows by as much counts the steps, unless it counts epochs or time.
/// Without such a column, one that is named epoch and grows by one counts epochs.
class LearnedLines {
 public:
  /// Returns whether a line names the columns of a table about a training.
  static bool names_columns(std::string_view line);

  static constexpr std::size_t kFewestLines = 4;  // of a form

  /// Learns from lines in the order in which they were printed. Returns nothing where none of them
  /// counts the steps of a training.
  static std::optional<LearnedLines> of(const std::vector<std::string>& lines);

  /// Returns the counters of a line of a form that was learned; nothing for any other line.
  std::optional<LineCounters> match(std::string_view line) const;
  /// Returns the counters of a line whose words say that it is of a validation, whatever its form:
  /// "Test:  [ 10/100]  loss: 0.5"; nothing for any other line.
  static std::optional<LineCounters> validation_in(std::string_view line);
  /// Returns how many of the lines that it learned from count steps of the training.
  std::size_t lines() const { return lines_; }
  /// Returns whether none of its forms counts steps, but epochs.
  bool counts_epochs_alone() const;

 private:
  struct Form {
    std::string text;
    std::optional<std::size_t> step;  // index of the number; nothing where only epochs are counted
    std::optional<std::size_t> steps;
    std::optional<std::size_t> epoch, epochs;
    bool is_validation = false;
  };
  using Lines = std::vector<LineTemplate>;
  static std::optional<Form> form_of(const std::string& text, const Lines& lines);
  static bool names_epoch(const LineTemplate& line, std::size_t index);
  static void find_epoch(Form& form, const Lines& lines);
  static std::optional<Form> form_of_table(const std::string& text, const Lines& lines,
                                           const std::vector<std::string>& columns);
  static std::optional<Form> form_without_total(const std::string& text, const Lines& lines);
  static std::optional<LineCounters> validation_counters(const LineTemplate& line);

  std::vector<Form> forms_;
  std::size_t lines_ = 0;
};

}  // namespace lapcast
