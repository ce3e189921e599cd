"""Programs with many habits, observed to their end: the laps that lapcast counted are the steps
that the program made, their ends are known, and start-up, training, validation and the rest add up
to the wall time."""

WITHIN = 0.01  # of the wall time


HABITS = ("streams", "no-grad", "compiled-step", "ddp", "fsdp", "lora")


def options_of(session, program):
    """Returns the options with which a program trains for a while, or shortly on an imitation."""
    on_gpu = {"conv": ["--epochs", 3, "--samples", 3200], "small_steps": ["--epochs", 3],
              "habits": ["--epochs", 4], "gpt": ["--max_iters", 200]}
    small = ["--epochs", 2, "--samples", 640, "--batch", 32]
    imitated = {"conv": ["--size", 16, "--width", 4, "--workers", 0, *small], "habits": ["--width", 32, *small],
                "small_steps": ["--epochs", 2, "--steps-per-epoch", 40, "--batch", 8],
                "gpt": ["--n_layer", 1, "--n_embd", 32, "--block_size", 16, "--vocabulary", 50,
                        "--max_iters", 12, "--eval_interval", 6, "--batch_size", 4],
                "hf_trainer": ["--layers", 1, "--samples", 64], "lightning_fit": ["--samples", 640],
                "accelerate_vit": ["--samples", 64],
                "jax_mlp": ["--epochs", 4, "--steps", 3, "--width", 32, "--batch", 8]}
    return (imitated if session.imitated else on_gpu).get(program, [])


def programs(session):
    """Returns name, modules that it needs, options of `watch`, and command of each program."""
    def of(program, *options, name=None, modules=(), watch=()):
        command = session.program(program, *options_of(session, program), *options)
        return name or program, modules, watch, command

    steps = ("--steps", 80 if session.imitated else 4500)  # it has no loader that tells them
    first = [of("conv"), of("small_steps", "--graph", name="CUDA graph", watch=steps),
             of("habits", "--habit", "scaler", name="scaler")]
    if not session.whole:
        return first
    first.append(of("small_steps", watch=steps))
    habits = [habit for habit in HABITS if not (session.imitated and habit == "fsdp")]
    if session.imitated:
        session.left_out("fsdp", "PyTorch refuses it on a CPU")
    return first + [of("habits", "--habit", habit, name=habit) for habit in habits] + [
        of("gpt"), of("hf_trainer", modules=["transformers"]), of("lightning_fit", modules=["lightning"]),
        of("accelerate_vit", modules=["accelerate", "timm"])]


def judge(session, name, done):
    truth = done.truth
    if not session.check(done.code == 0 and truth, f"{name}: ends, exit status {done.code}"):
        return
    run = session.export()
    steps = truth["steps"]
    session.check(run.laps() == steps, f"{name}: {run.laps()} laps for {steps} steps")
    known = run.known_ends()
    session.check(known >= min(5, steps), f"{name}: the ends of {known} laps are known")
    shown = session.show("last", "--alone")
    if (shown.get("forecast") or {}).get("time_s"):
        parts = {row["part"]: row["time_s"] for row in shown["parts"]}
        wall = shown["run"]["wall_time_s"]
        session.figure(f"{name}: sum of the parts over the wall time", parts["total"] / wall,
                       (lambda share: abs(share - 1) <= WITHIN, "1 within 1 %"))
        if truth.get("training_s"):
            seen = parts["laps"] + parts.get("warm-up", 0) + parts.get("epoch overhead", 0)
            session.figure(f"{name}: training seen over the device's", seen / truth["training_s"],
                           (lambda share: abs(share - 1) <= 2 * WITHIN, "1 within 2 %"))
    else:
        reason = (shown.get("forecast") or {}).get("reason")
        session.check(False, f"{name}: its laps give a forecast: {reason}")


def run(session):
    for name, modules, options, command in programs(session):
        if not session.lacks(name, *modules):
            judge(session, name, session.watch(*options, program=command))
    if session.whole and not session.lacks("jax_mlp", "jax"):
        done = session.watch(program=session.program("jax_mlp", *options_of(session, "jax_mlp")))
        session.check(done.code == 0 and session.export().laps() >= 4,
                      "jax_mlp: laps are read from its output")
