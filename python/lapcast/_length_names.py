"""Lists the names of variables that tell how long a training is, and of objects that hold them."""

EPOCHS = frozenset(
    "epochs num_epochs n_epochs nepochs nb_epochs max_epochs total_epochs train_epochs "
    "num_train_epochs training_epochs epochs_num num_epoch n_epoch max_epoch total_epoch".split())
# Means the planned epochs only where another variable counts the current one.
MAYBE_EPOCHS = frozenset(["epoch_num"])
# Names such as num_steps or num_iterations are not among them: in many programs they count the steps
# of a sequence or of a rollout.
STEPS = frozenset(
    "max_steps max_iters max_iter max_iterations max_iteration total_steps total_iters "
    "total_iterations num_iters n_iters max_train_steps num_train_steps num_training_steps "
    "train_steps train_iters".split())
# Settings with these names are the steps of a loop without a loader and without epochs.
STEPS_OF_SETTINGS = frozenset(
    "steps n_steps num_steps iterations iters num_iterations n_iter niter".split())
# Where one of these is set, several steps of the optimizer follow a rollout.
OF_ROLLOUTS = frozenset(
    "total_timesteps num_envs n_envs num_minibatches update_epochs rollout_steps rollout_length "
    "gae_lambda".split())
STEPS_PER_EPOCH = frozenset(
    "steps_per_epoch iters_per_epoch iterations_per_epoch batches_per_epoch updates_per_epoch "
    "epoch_steps num_batches n_batches nb_batches".split())
BATCHES = frozenset(
    "batch bs batch_size batchsize train_batch_size per_device_train_batch_size".split())
PRESENT_EPOCH = ("epoch", "ep", "epoch_idx", "epoch_num", "e", "t")  # in order of trust
# Only these variables are searched for settings, so that no other object of the program is touched.
HOLDERS = frozenset(
    "argparse click absl self args kwargs arg opt opts options option cfg config conf configs "
    "hparams hps hp hyp params param parameters flags settings train_args training_args train_config "
    "training_config train_cfg training_cfg trainer train training optim schedule solver common "
    "run".split())
# These iterate over names, and give their values as attributes.
OWN_MAPPINGS = ("omegaconf", "absl", "ml_collections")
CLICKS = ("click", "typer._click.globals")  # typer brings its own
NUMBERS = EPOCHS | STEPS | STEPS_OF_SETTINGS | OF_ROLLOUTS | STEPS_PER_EPOCH | BATCHES
NAMES = NUMBERS | HOLDERS | frozenset(PRESENT_EPOCH)
