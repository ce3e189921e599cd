#pragma once

#include <string>
#include <vector>

#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Returns a line of an answer with its label in a separate column: "Time      34.7 s".
std::string labelled(const char* label, const std::string& text);

struct AnswerRow {
  std::string what;  // "CHEAPEST"
  std::string name;  // of the candidate
  std::string cost;  // empty = no price
  std::string time;
  std::string remark;
};
/// Returns the rows as lines with aligned columns; leaves out columns that are empty in all rows.
std::vector<std::string> aligned_rows(const std::vector<AnswerRow>& rows);

/// Returns the price with its source: "$2.49/h (price list, 2026-11-20)".
std::string price_text(const Offer& offer);

/// Returns what a run says about a training, in words with units: the time of a full run, then the
/// forecast time and cost, or why there is no forecast.
std::vector<std::string> answer_of(const Run& run, const Assessment& assessment);

/// Explains in plain words why a run's program was not measured.
std::string failure_in_words(const Outcome& outcome);
/// Returns what to do next about it: "next: ...".
std::string next_after_failure(const Outcome& outcome);

}  // namespace lapcast
