#pragma once

#include <memory>
#include <utility>

#include "common/batches.h"
#include "common/options.h"
#include "common/stage.h"

namespace lapcast::workloads {

/// Both parts of an image set as a program trains on them: as many images as the options ask for,
/// handed out on the device. Set has keep_first(), and byte_images() takes it.
template <typename Set>
DataParts image_parts(Set training, Set validation, const CommonOptions& options,
                      c10::Device device) {
  training.keep_first(options.samples);
  validation.keep_first(options.validation_samples);
  return {std::make_unique<ImageBatches>(byte_images(std::move(training)), device),
          std::make_unique<ImageBatches>(byte_images(std::move(validation)), device)};
}

/// The same from what read(part) reads, within the stages "data-load" and "pre-process". (Scaling
/// is left to each batch.)
template <typename Part, typename Read>
DataParts read_image_parts(Part training_part, Part validation_part, const Read& read,
                           const CommonOptions& options, c10::Device device) {
  decltype(read(training_part)) training, validation;
  {
    const Stage stage("data-load");
    training = read(training_part);
    validation = read(validation_part);
  }
  const Stage stage("pre-process");
  return image_parts(std::move(training), std::move(validation), options, device);
}

}  // namespace lapcast::workloads
