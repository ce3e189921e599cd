#include "suite/papers/malta.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lapcast {
namespace {

void append(std::vector<PaperCell>& cells, std::vector<PaperCell> more) {
  std::ranges::move(more, std::back_inserter(cells));
}

}  // namespace

PaperStudy malta_study() {
  PaperStudy study{.name = "malta",
                   .title =
                       "Malta 2021, Selecting Efficient Virtual Machines for Training Deep "
                       "Learning Models on the Cloud"};
  append(study.cells, malta_run_cells());
  append(study.cells, malta_estimate_cells());
  append(study.cells, malta_relative_cells());
  append(study.cells, malta_text_cells());
  study.picks = malta_picks();
  study.notes = {
      "equation 5.4 as printed counts the first iteration twice; the tables do not",
      "table 5.9 with validation: the times of the validations are not printed, so only the errors "
      "are computed again",
      "relative times: the times behind them are not printed. A middle column is computed from the "
      "outer two: a simulated time grows straight with the epochs, so all machines of a table "
      "share "
      "one weight, which is fitted",
      "the text gives CIFAR-10 images 28 x 28 pixels (page 33); they have 32 x 32"};
  return study;
}

}  // namespace lapcast
