#pragma once

#include <string>
#include <vector>

#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Returns a line of an answer, its label in a column of its own: "Time      34.7 s".
std::string labelled(const char* label, const std::string& text);

/// Holds a line of an answer that names the best candidate of a kind.
struct AnswerRow {
  std::string what;  // "CHEAPEST"
  std::string name;  // of the candidate
  std::string cost;  // empty = no price
  std::string time;
  std::string remark;
};
/// Returns the rows as lines, their columns aligned; a column that is empty in all rows is left
/// out.
std::vector<std::string> aligned_rows(const std::vector<AnswerRow>& rows);

/// Returns the price with its source: "$2.49/h (price list, 2026-11-20)".
std::string price_text(const Offer& offer);

/// Returns what a run says of a training, in words with units: what a run to the end took, then the
/// time and the cost that are forecast, or why there is no forecast.
std::vector<std::string> answer_of(const Run& run, const Assessment& assessment);

/// Returns in plain words what became of a run whose program was not measured.
std::string failure_in_words(const Outcome& outcome);
/// Returns what to do next about it: "next: ...".
std::string next_after_failure(const Outcome& outcome);

}  // namespace lapcast
