#include "common/word_batches.h"

#include <ATen/Functions.h>

namespace lapcast::workloads {

std::unique_ptr<BatchSource> word_batches(const WordRows& rows, c10::Device device) {
  const at::Tensor numbers = at::from_blob(const_cast<int32_t*>(rows.numbers.data()),
                                           {rows.count(), kReviewWords}, at::kInt)
                                 .clone();
  const at::Tensor labels =
      at::from_blob(const_cast<uint8_t*>(rows.labels.data()), {rows.count()}, at::kByte);
  return std::make_unique<TableBatches>(numbers.to(device), labels.to(device).to(at::kLong));
}

}  // namespace lapcast::workloads
