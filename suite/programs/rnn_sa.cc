// rnn-sa trains an LSTM to tell good from bad film reviews.
//
// [K] Künas, master's thesis on training machine learning models in the cloud, 2023, sections 4.2
//     and 6.2.2.
#include "models/rnn_sa.h"

#include <utility>
#include <vector>

#include "common/adam.h"
#include "common/program.h"
#include "common/stage.h"
#include "common/word_batches.h"
#include "data/reviews.h"
#include "data/word_rows.h"

namespace {

using namespace lapcast::workloads;

DataParts read_parts(const CommonOptions& options, bool pool, c10::Device device) {
  Reviews training, validation, test;
  {
    const Stage stage("data-load");
    ReviewFiles files = list_reviews(options.data, pool);
    cut_after(files.training, static_cast<size_t>(options.samples));
    cut_after(files.validation, static_cast<size_t>(options.validation_samples));
    training = read_reviews(files.training, options.threads);
    validation = read_reviews(files.validation, options.threads);
    if (options.evaluate) test = read_reviews(files.test, options.threads);
  }
  const Stage stage("pre-process");
  const WordParts parts = numbered(training, validation, test, options.threads);
  return {word_batches(parts.training, device), word_batches(parts.validation, device),
          test.count() > 0 ? word_batches(parts.test, device) : nullptr};
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("rnn-sa", "Trains an LSTM that tells good from bad film reviews.",
                   "  make-reviews --out reviews && rnn-sa --data reviews --evaluate\n"
                   "  rnn-sa --data aclImdb --pool\n"
                   "  rnn-sa --data reviews --batch 128 --samples 6000\n");
  bool pool = false;
  line.flag("pool", pool,
            "Split all reviews of the folder anew, 72 : 20 : 8, as [K] does, instead of training "
            "on train/ alone");
  CommonOptions options;
  options.batch = 1024;
  options.epochs = 5;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [] { return std::make_shared<RnnSa>(0.2); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Adam>(std::move(parameters));
    };
    recipe.data = [&](c10::Device device) { return read_parts(options, pool, device); };
    recipe.objective = Objective::kEachClass;
    return recipe;
  });
}
