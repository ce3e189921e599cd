// mnist-cnn: trains the small convolutional network of Keras's MNIST example, as [C] and [M] do.
//
// [C] Carneiro et al., "Performance Analysis of Google Colaboratory as a Tool for Accelerating Deep
//     Learning Applications", IEEE Access 6, 2018.
// [M] Malta, "Selecting efficient VM types to train deep learning models on the cloud" (thesis,
//     Unicamp, 2021), chapters 4 and 5.
#include <ATen/Context.h>
#include <ATen/Version.h>
#include <torch/version.h>
#include <c10/util/Exception.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "common/adadelta.h"
#include "common/batches.h"
#include "common/checkpoint.h"
#include "common/classify.h"
#include "common/device.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/random.h"
#include "common/stage.h"
#include "common/train.h"
#include "data/idx.h"
#include "models/mnist_cnn.h"

namespace {

using namespace lapcast::workloads;

/// A paper's way to train the network. Both leave the rest of Adadelta at Keras's defaults.
struct Setting {
  std::string name;
  int64_t batch;
  int64_t epochs;
  int64_t samples;  // of the training file; 0: all
  double pool_dropout;
  double dense_dropout;
  AdadeltaOptions adadelta;
};

/// [C], section IV-A: batch 128, 12 epochs, one dropout layer of 0.5 after the pooling, all 60,000
/// images. Adadelta as Keras had it in 2018: learning rate 1, rho 0.95, epsilon 1e-7.
Setting carneiro() {
  return {"carneiro", 128, 12, 0, 0.5, 0, {1.0, 0.95, 1e-7}};
}

/// [M], section 5.1: "dropout regularization" (the Keras example's: 0.25 and 0.5), Adadelta from a
/// learning rate of 0.001, 50,000 images to train on and 10,000 to validate with.
Setting malta(int64_t batch) {
  // Table 5.1 lists the epochs for batches of 256, 512, 1024 and 2048.
  const int64_t epochs = batch <= 256 ? 15 : batch <= 512 ? 17 : batch <= 1024 ? 22 : 28;
  return {"malta", batch, epochs, 50000, 0.25, 0.5, {0.001, 0.95, 1e-7}};
}

struct Options : CommonOptions {
  std::string setting = "carneiro";
};

void add_options(CLI::App& app, Options& options) {
  add_common_options(app, options);
  app.add_option("--setting", options.setting,
                 "Whose settings: carneiro (batch 128, 12 epochs, Adadelta 1.0, 60,000 images) or "
                 "malta (batch 256, 15 epochs, Adadelta 0.001, 50,000 images)")
      ->check(CLI::IsMember({"carneiro", "malta"}))
      ->capture_default_str()
      ->type_name("NAME");
  app.footer(
      "Examples:\n"
      "  make-digits --out digits && mnist-cnn --data digits\n"
      "  mnist-cnn --data digits --setting malta --batch 1024\n"
      "  mnist-cnn --data digits --epochs 30 --patience 3 --checkpoint-every 1 --run-dir run\n"
      "  mnist-cnn --data digits --resume run/checkpoint-4.pt\n");
}

Setting choose_setting(const Options& options) {
  Setting setting =
      options.setting == "malta" ? malta(options.batch ? options.batch : 256) : carneiro();
  if (options.batch) setting.batch = options.batch;
  if (options.epochs) setting.epochs = options.epochs;
  if (options.samples) setting.samples = options.samples;
  return setting;
}

/// Reads one part of the data; refuses images of another size than the network's.
LabelledImages load(const std::filesystem::path& folder, MnistPart part) {
  LabelledImages set = read_mnist(folder, part);
  if (set.images.rows == 28 && set.images.columns == 28) return set;
  throw IdxError(folder.string() + ": images of " + std::to_string(set.images.rows) + "x" +
                 std::to_string(set.images.columns) + ", expected 28x28");
}

struct Data {
  ImageBatches training;
  ImageBatches validation;
};

Data prepare_data(const Options& options, const Setting& setting, c10::Device device) {
  LabelledImages training, validation;
  {
    const Stage stage("data-load");
    training = load(options.data, MnistPart::kTraining);
    validation = load(options.data, MnistPart::kTest);
  }
  const Stage stage("pre-process");  // scaling to 0..1 is left to each batch
  training.keep_first(setting.samples);
  validation.keep_first(options.validation_samples);
  return {ImageBatches(std::move(training), device), ImageBatches(std::move(validation), device)};
}

/// The network and its optimizer.
struct Learner {
  MnistCnn model;
  Adadelta adadelta;

  Learner(const Setting& setting, c10::Device device)
      : model(setting.pool_dropout, setting.dense_dropout, device),
        adadelta(model.parameters(), setting.adadelta) {}

  /// Calls visit(name, tensor) for all that a checkpoint holds.
  template <typename Visit>
  void each_tensor(bool with_optimizer, Visit visit) {
    const auto parameters = model.named_parameters();
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string& name = parameters[i].key();
      visit(name, parameters[i].value());
      if (!with_optimizer) continue;
      visit("adadelta.squared_gradient." + name, adadelta.squared_gradients()[i]);
      visit("adadelta.squared_step." + name, adadelta.squared_steps()[i]);
    }
  }
};

int64_t save(Learner& learner, bool with_optimizer, const std::filesystem::path& file,
             const Progress& progress) {
  Checkpoint checkpoint{{}, progress};
  learner.each_tensor(with_optimizer, [&](const std::string& name, const at::Tensor& tensor) {
    checkpoint.tensors[name] = tensor;
  });
  return write_checkpoint(file, checkpoint);
}

/// Loads a checkpoint. Without the optimizer's state in it, the optimizer begins anew.
Progress resume(Learner& learner, const std::filesystem::path& file) {
  const Checkpoint checkpoint = read_checkpoint(file);
  learner.each_tensor(true, [&](const std::string& name, const at::Tensor& tensor) {
    if (restore(checkpoint, name, tensor) || name.starts_with("adadelta.")) return;
    throw std::runtime_error(file.string() + ": holds no " + name);
  });
  return checkpoint.progress;
}

TrainPlan plan_training(const Options& options, const Setting& setting, const Data& data,
                        Progress progress) {
  progress.early.patience = options.patience;
  TrainPlan plan;
  plan.epochs = setting.epochs;
  plan.steps = options.steps;
  plan.batch = setting.batch;
  plan.training_samples = data.training.size();
  plan.validation_samples = data.validation.size();
  plan.checkpoint_every = options.checkpoint_every;
  plan.run_dir = options.run_dir;
  plan.progress = progress;
  return plan;
}

/// What the training loop calls. All randomness of an epoch follows from the seed and its number,
/// so that a resumed run sees what the first would have seen.
Trainee make_trainee(const Options& options, Data& data, Learner& learner) {
  const Forward forward = [&](const at::Tensor& images, bool training) {
    return learner.model.forward(images, training);
  };
  const auto update = [&] {
    learner.adadelta.step();
    learner.adadelta.zero_grad();
  };
  Trainee trainee;
  trainee.begin_epoch = [&](int64_t epoch) {
    data.training.shuffle(options.seed, epoch);
    learner.model.seed_dropout(mix_seeds(options.seed, static_cast<uint64_t>(epoch)));
  };
  trainee.train = [&, forward, update](int64_t first, int64_t count) {
    return train_on(forward, update, data.training.take(first, count));
  };
  trainee.validate = [&, forward](int64_t first, int64_t count) {
    return validate_on(forward, data.validation.take(first, count));
  };
  trainee.save = [&](const std::filesystem::path& file, const Progress& progress) {
    return save(learner, options.optimizer_state, file, progress);
  };
  return trainee;
}

/// Which vector instructions LibTorch's own kernels use; nothing where it does not tell (1.13).
std::string cpu_capability() {
#if TORCH_VERSION_MAJOR >= 2
  return " " + at::get_cpu_capability();
#else
  return "";
#endif
}

void print_start(const Options& options, const TrainPlan& plan) {
  const std::string length =
      plan.steps ? std::to_string(plan.steps) + " steps" : std::to_string(plan.epochs) + " epochs";
  std::printf("mnist-cnn (%s): %lld + %lld images, batch %lld, %s, %s\n", options.setting.c_str(),
              static_cast<long long>(plan.training_samples),
              static_cast<long long>(plan.validation_samples), static_cast<long long>(plan.batch),
              length.c_str(),
              options.cuda()
                  ? "cuda"
                  : (std::to_string(options.threads) + " threads, cpu" + cpu_capability())
                        .c_str());
  std::fflush(stdout);
}

void print_end(const TrainResult& result) {
  const Progress& progress = result.progress;
  std::printf("%s after epoch %lld, best val_accuracy %.4f\n",
              result.stopped_early ? "stopped early" : "done",
              static_cast<long long>(progress.epochs_done), progress.early.best);
}

void run(const Options& options) {
  use_threads(options.threads);
  const c10::Device device = choose_device(options.cuda());
  if (options.checkpoint_every) std::filesystem::create_directories(options.run_dir);
  const Setting setting = choose_setting(options);
  Data data = prepare_data(options, setting, device);

  lapcast_stage_begin("compile");
  at::manual_seed(options.seed);
  Learner learner(setting, device);
  const Progress progress = options.resume.empty() ? Progress{} : resume(learner, options.resume);
  lapcast_stage_end("compile");

  const TrainPlan plan = plan_training(options, setting, data, progress);
  print_start(options, plan);
  print_end(train(plan, make_trainee(options, data, learner), std::cout));
}

/// The first line of a message: LibTorch adds a stack trace.
std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  end_without_freeing();
  CLI::App app("Trains the small convolutional network of Keras's MNIST example.", "mnist-cnn");
  Options options;
  add_options(app, options);
  const int status = parse_command_line(app, options, argc, argv);
  if (status >= 0) return status;
  try {
    run(options);
  } catch (const DeviceError& error) {
    std::cerr << "mnist-cnn: " << error.what() << '\n';
    return 2;
  } catch (const c10::Error& error) {
    std::cerr << "mnist-cnn: " << first_line(error.what_without_backtrace()) << '\n';
    return 1;
  } catch (const std::exception& error) {
    std::cerr << "mnist-cnn: " << first_line(error.what()) << '\n';
    return 1;
  }
  return 0;
}
