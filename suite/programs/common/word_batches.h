#pragma once

#include <memory>

#include "common/batches.h"
#include "data/word_rows.h"

namespace lapcast::workloads {

/// Returns batches of rows of numbers of words: int32, count x kReviewWords.
std::unique_ptr<BatchSource> word_batches(const WordRows& rows, c10::Device device);

}  // namespace lapcast::workloads
