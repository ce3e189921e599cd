#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>

#include "core/display_width.h"
#include "core/units.h"
#include "history/known_time.h"
#include "report/cells.h"
#include "report/plan_text.h"
#include "run/attempts.h"
#include "run/run_cost.h"
#include "table/table_writers.h"

namespace lapcast {
namespace {

/// Returns "34.7 s  (32.5 s to 37.0 s)".
std::string with_bounds(Cell mid, Cell low, Cell high) {
  return fmt::format("{}  ({} to {})", for_people(mid), for_people(low), for_people(high));
}

}  // namespace

std::string labelled(const char* label, const std::string& text) {
  return fmt::format("{:<9} {}", label, text);
}

std::vector<std::string> aligned_rows(const std::vector<AnswerRow>& rows) {
  std::vector<std::string> lines(rows.size());
  const auto add = [&](std::string AnswerRow::*cell, bool to_the_right) {
    std::size_t width = 0;
    for (const AnswerRow& row : rows) width = std::max(width, display_width(row.*cell));
    for (std::size_t i = 0; width > 0 && i < rows.size(); ++i) {
      const std::string padding(width - display_width(rows[i].*cell), ' ');
      lines[i] += (to_the_right ? padding + rows[i].*cell : rows[i].*cell + padding) + "  ";
    }
  };
  add(&AnswerRow::what, false);
  add(&AnswerRow::name, false);
  add(&AnswerRow::cost, true);
  add(&AnswerRow::time, true);
  add(&AnswerRow::remark, false);
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::string price_text(const Offer& offer) {
  return fmt::format("{}/h ({}, {})", dollar_text(offer.price.per_hour), offer.source, offer.as_of);
}

std::vector<std::string> answer_of(const Run& run, const Assessment& assessment) {
  std::vector<std::string> lines;
  const bool is_known = known_time(run, assessment).has_value();
  const bool is_whole = is_known || (run.context.kind == RunKind::full &&
                                     std::holds_alternative<outcome::Ended>(run.outcome));
  if (is_whole) {
    const auto cost = cost_of_run(run, {});
    lines.push_back(
        labelled("Took", fmt::format("{}{}{}", format_duration(time_of_attempts(run)),
                                     cost ? "  " + dollar_text(*cost) : "",
                                     is_known ? "  for " + plan_text(*assessment.plan) : "")));
  }
  if (is_known) {
    if (run.context.price) lines.push_back(labelled("Price", price_text(*run.context.price)));
    if (const auto whole = text_of_whole(run, assessment))
      lines.push_back(labelled("Whole", *whole));
    return lines;
  }
  if (!assessment.forecast) {
    lines.push_back("no forecast: " + assessment.forecast.error().text);
    return lines;
  }
  const Interval<Seconds>& time = assessment.forecast->total;
  lines.push_back(labelled(
      is_whole ? "Forecast" : "Time",
      with_bounds(time.mid, time.low, time.high) + "  for " + plan_text(*assessment.plan)));
  const PricedCell cost = cost_cell(run.context.price, assessment.forecast);
  if (const auto* bounds = std::get_if<Interval<Money>>(&cost.cell))
    lines.push_back(labelled("Cost", with_bounds(bounds->mid, bounds->low, bounds->high) + "  at " +
                                         price_text(*run.context.price)));
  if (const auto whole = text_of_whole(run, assessment)) lines.push_back(labelled("Whole", *whole));
  return lines;
}

std::string failure_in_words(const Outcome& outcome) {
  if (is_out_of_gpu_memory(outcome)) return "the program ran out of GPU memory";
  if (is_out_of_main_memory(outcome)) return "the program ran out of main memory";
  if (std::holds_alternative<outcome::Crashed>(outcome))
    return "the program failed before enough of it was seen";
  if (std::holds_alternative<outcome::NoLaps>(outcome)) return "no training iteration was seen";
  if (std::holds_alternative<outcome::NotStarted>(outcome))
    return "the program could not be started";
  return "the run was cut off before enough of it was seen";
}

std::string next_after_failure(const Outcome& outcome) {
  if (is_out_of_gpu_memory(outcome)) return "next: a smaller batch, or a GPU with more memory";
  if (is_out_of_main_memory(outcome))
    return "next: a smaller batch, fewer loader workers, or a machine with more memory";
  if (std::holds_alternative<outcome::Crashed>(outcome))
    return "next: make the program run by itself, then type the same command again";
  if (std::holds_alternative<outcome::NoLaps>(outcome))
    return "next: lapcast help any-program (how a program's laps are found), or --whole, which "
           "takes the whole run for one lap";
  if (std::holds_alternative<outcome::NotStarted>(outcome))
    return "next: put right what is said below, then type the same command again";
  return "next: the same command again, with more time";
}

}  // namespace lapcast
