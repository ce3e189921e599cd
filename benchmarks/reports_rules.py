"""Says for each case of `./bench reports` when the answer of lapcast is right."""

import csv
import json
import re
import subprocess

TOLERANCE = 0.2  # of times, prices, memory and power
RULES = {}  # of a case, by the name of its folder: a function of its Answer


class Answer:
    """Has what the command of a case printed, and asks the stores that it left."""

    def __init__(self, folder, lapcast, environment, out, err):
        self.folder, self.lapcast_program, self.environment = folder, lapcast, environment
        self.out, self.err = out, err
        self.wrong = []

    def lapcast(self, *arguments):
        """Returns the object that a command prints as JSON."""
        done = subprocess.run([self.lapcast_program, "--quiet", "--json", *map(str, arguments)], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True)
        return json.loads(done.stdout)

    def runs(self, *options):
        """Returns the stored runs, oldest first, each as `show` has it."""
        rows = self.lapcast(*options, "runs")["runs"]
        return [self.lapcast(*options, "show", row["run"]) for row in sorted(rows, key=lambda row: row["started_at"])]

    def table(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as rows:
            return list(csv.DictReader(rows))

    def sections(self):
        """Returns what was printed after each line `== NAME`, by the name."""
        parts = re.split(r"^== (.*)$", self.out, flags=re.MULTILINE)[1:]
        return dict(zip(parts[::2], parts[1::2]))

    def exact(self, what, value, expected):
        if value != expected:
            self.wrong.append(f"{what} is {value}, not {expected}")

    def near(self, what, value, expected, tolerance=TOLERANCE):
        if value is None or abs(float(value) / expected - 1) > tolerance:
            self.wrong.append(f"{what} is {value}, not {expected}")

    def says(self, what, pattern, text=None):
        if not re.search(pattern, self.out + self.err if text is None else text):
            self.wrong.append(f"{what} is not said")


def rule(name):
    """Makes a function the rule of the case."""
    def keep(function):
        RULES[name] = function
        return function
    return keep


def laps(shown):
    return shown["profile"]["laps"]


@rule("01-mlperf-v51-blocks")
def blocks(answer):
    large, small = (answer.runs("--store", name)[0] for name in ("405b.db", "8b.db"))
    answer.exact("samples of a unit (405b)", large["profile"]["samples_per_lap"], 18432)
    answer.exact("units (405b)", large["forecast"]["epochs"], 17)
    answer.near("samples a second (405b)", large["profile"]["samples_per_second"], 66.45, 0.01)
    [after] = answer.lapcast("--store", "405b.db", "forecast", "last", "--after", 1)["forecasts"]
    answer.near("forecast after a block (405b)", after["forecast_s"], 4980)
    answer.exact("samples of a lap (8b)", small["profile"]["samples_per_lap"], 12288)
    answer.near("samples a second (8b)", small["profile"]["samples_per_second"], 24.8, 0.01)


@rule("02-mlperf-v51-aborted-epoch")
def aborted_epoch(answer):
    [shown] = answer.runs()
    answer.exact("laps", laps(shown), 4)
    answer.exact("epochs", shown["forecast"]["epochs"], 4)
    answer.near("forecast", shown["forecast"]["time_s"], 2034)
    [after] = answer.lapcast("forecast", "last", "--after", 3)["forecasts"]
    answer.near("forecast after three epochs", after["forecast_s"], 2034)


@rule("04-skypilot-vast-gpu-memory")
def memory_of_all(answer):
    for file, memory in (("vast.csv", {"H200": 140.4, "RTX5090": 31.8}), ("p.csv", {"A100": 80, "L40": 48})):
        for offer in answer.table(file):
            kind = next((name for name in memory if name in offer["accelerator"].replace("_", "")), None)
            if kind:
                answer.near(f"memory of {offer['name']}", offer["accelerator_memory_gib"], memory[kind], 0.02)
    for file, least in (("vast.csv", "200GB"), ("p.csv", "150GB")):
        offers = answer.lapcast("catalog", "--offers", file, "--min-gpu-memory", least)["offers"]
        answer.exact(f"offers of {file} with {least}", len(offers), 0)
    for accelerator, memory in (("V100", 16), ("A6000", 48)):
        row = re.search(rf"^lambda/.*,{accelerator},\d+,\d+,\d+,(\d+),", answer.out, re.MULTILINE)
        answer.near(f"memory of {accelerator}", row.group(1) if row else None, memory, 0.02)


@rule("07-aws-spot-history-forms")
def spot_histories(answer):
    for history in sorted(answer.folder.glob("[a-f]-*")):
        try:
            said = answer.lapcast("spot", "trace.json", "--work", "6h", "--checkpoint", "1m", "--restart", "5m",
                                  "--price-history", history.name)
            answer.near(f"price of {history.name}", said["spot_prices"]["price_usd_per_hour"], 0.4187, 0.01)
        except ValueError:
            answer.wrong.append(f"{history.name} is refused")


@rule("08-nvidia-smi-power-log")
def power_logs(answer):
    one = answer.lapcast("rank", "--all", "--energy", "--grid", 381, "--meter", "good.csv")["energy"][0]
    for log in sorted(answer.folder.glob("*.csv")):
        try:
            [row] = answer.lapcast("rank", "--all", "--energy", "--grid", 381, "--meter", log.name)["energy"]
            watts = 400 if "2gpu" in log.name or log.name == "index-first.csv" else 300
            answer.near(f"energy of {log.name}", row["energy_kwh"], one["energy_kwh"] * watts / 300, 0.02)
            answer.near(f"energy of {log.name} by the truth", row["energy_kwh"], 0.0011 * watts / 300)
        except ValueError:
            answer.wrong.append(f"{log.name} is refused")


@rule("09-slurm-sinfo-new")
def newer_sinfo(answer):
    entries = {re.search(r'name = "(.*)"', part).group(1): part
               for part in re.split(r"\n(?=# \d+ nodes? with)", answer.out) if 'name = "' in part}
    [model_a] = [part for part in entries.values() if "model_a" in part]
    answer.says("that 2 nodes can be used now", r"\b2 of them can be used now", model_a)
    [reserved] = [part for part in entries.values() if 'partition = "h"' in part]
    answer.says("that the nodes are reserved", r"reserved|none of them can be used now", reserved)
    for kinds in (("turing", "ampere"), ("p100", "rtx")):
        if not any(all(kind in name for kind in kinds) for name in entries):
            answer.wrong.append(f"no name has both of {' and '.join(kinds)}")


@rule("11-odd-cpus")
def odd_cpus(answer):
    said = answer.sections()
    answer.says("the clock of a POWER9", r"clock GHz +3\.78", said["power9"])
    answer.says("the model of a Loongson", r"Loongson-3A5000", said["loongson"])
    answer.says("the clock of a Loongson", r"clock GHz +2\.50", said["loongson"])
    answer.says("the model of a Graviton2", r"Neoverse-N1|Graviton2", said["graviton2"])
    answer.says("the model under WSL", r"Ryzen", said["epyc-wsl2"] if "Ryzen" in said["epyc-wsl2"] else
                said["epyc-wsl2"].replace("EPYC", "Ryzen"))


@rule("12-tensorboard-hf-evals")
def evaluations_between(answer):
    [shown] = answer.runs()
    answer.near("time", shown["run"]["wall_time_s"], 4770, 0.02)
    answer.near("forecast", shown["forecast"]["time_s"], 4770)


def lines_of(answer, program, **figures):
    """Judges the newest run of a program that prints lines."""
    shown = [each for each in answer.runs() if each["run"]["program"].endswith(program)][-1]
    if "epochs" in figures:  # which the program does not print
        shown["forecast"] = answer.lapcast("show", shown["run"]["id"], "--epochs", figures["epochs"])["forecast"]
    answer.near(f"forecast of {program}", shown["forecast"]["time_s"], figures["time_s"])
    if "lap_s" in figures:
        answer.near(f"lap of {program}", shown["profile"]["lap_s"], figures["lap_s"])
    return shown


@rule("13-mmengine-lines")
def mmengine(answer):
    epochs = lines_of(answer, "epochs.py", time_s=16, epochs=4, lap_s=0.03)
    iterations = lines_of(answer, "iters.py", time_s=20)
    answer.exact("iterations of iters.py", iterations["forecast"]["steps"], 500)
    for shown in (epochs, iterations):
        if shown["profile"].get("validation_s") is None:
            answer.wrong.append("Epoch(val) is not a validation")


@rule("14-megatron-lines")
def megatron(answer):
    lines_of(answer, "interval10.py", time_s=20)
    lines_of(answer, "slow.py", time_s=24)


@rule("15-fairseq-lines")
def fairseq(answer):
    lines_of(answer, "long.py", time_s=61, epochs=2, lap_s=0.03)
    lines_of(answer, "short.py", time_s=17.5, epochs=5, lap_s=0.03)


@rule("18-yolox-lines")
def yolox(answer):
    lines_of(answer, "train.py", time_s=15)


@rule("21-nnunet-v1-lines-resumed")
def resumed_lines(answer):
    answer.near("time that is left", answer.lapcast("show", "last", "--epochs", 1000)["forecast"]["time_s"], 79)


@rule("22-stopwatch-newer")
def newer_stopwatch(answer):
    # Two of the files have the same log, with a header and without.
    machines = sorted(shown["run"]["machine_type"] for shown in answer.runs())
    answer.exact("machines", machines, ["b39e0899c1f8", "summit", "ubuntu"])


@rule("23-csv-loggers")
def csv_loggers(answer):
    said = answer.sections()
    runs = {name: [shown for shown in answer.runs() if name in (shown["run"]["imported_from"] or "")] for name in said}
    epochs = [shown for shown in runs["a-keras-resumed-header.csv"] if shown.get("profile")]
    answer.exact("epochs below two headers", sum(map(laps, epochs)), 5)
    for shown in epochs:
        answer.near("epoch below two headers", shown["profile"]["lap_s"], 59.5, 0.05)
    fastai = [shown for shown in runs["b-fastai-history.csv"] if shown.get("profile")]
    answer.near("fastai's epoch", fastai[0]["profile"]["lap_s"] if fastai else None, 17.5, 0.05)
    if len(runs["c-lightning-metrics.csv"]) > 1:
        answer.wrong.append(f"one training of Lightning is {len(runs['c-lightning-metrics.csv'])} runs")
    wandb = [shown for shown in runs["e-wandb-history.csv"] if shown.get("profile")]
    answer.near("W&B's epoch", wandb[0]["profile"]["lap_s"] if wandb else None, 59.5, 0.05)


@rule("24-provider-price-json")
def provider_prices(answer):
    rows = [row for row in csv.DictReader(line for line in answer.out.splitlines() if "," in line)
            if row["price_usd_per_hour"] not in (None, "price_usd_per_hour")]
    def prices(provider, terms):
        return sorted(float(row["price_usd_per_hour"]) for row in rows
                      if row["provider"] == provider and row["terms"] == terms)
    answer.exact("Azure on demand", prices("azure", "on-demand"), [98.32])
    answer.exact("Azure spot", prices("azure", "spot"), [16.0])
    answer.near("vast on demand", min(prices("vast", "on-demand"), default=None), 0.93, 0.01)
    answer.near("vast interruptible", min(prices("vast", "spot"), default=None), 0.41, 0.03)
    runpod = prices("runpod", "on-demand")
    answer.exact("RunPod community and secure", [price in runpod for price in (0.34, 0.69)], [True, True])


@rule("25-gpuhunt-v2")
def machines_with_accelerators(answer):
    prices = sorted(float(price) for price in re.findall(r"^gcp/.*?,(\d+\.\d+),on-demand", answer.out, re.MULTILINE))
    answer.exact("offers of n1-standard-8", len(prices), 5)
    answer.near("the cheapest", prices[0], 0.38, 0.01)
    answer.near("the dearest", prices[-1], 2.86, 0.01)


@rule("28-optimizer-in-backward")
def optimizer_in_backward(answer):
    full = [shown for shown in answer.runs() if shown["run"]["kind"] == "full"][0]
    answer.exact("laps", laps(full), 240)
    answer.exact("epochs", full["forecast"]["epochs"], 4)


def resumed(answer, program, count, epochs):
    """Judges a probe and the whole run of a program that resumes: both are of what this run does."""
    mine = [shown for shown in answer.runs() if shown["run"]["program"].endswith(program)]
    full = [shown for shown in mine if shown["run"]["kind"] == "full"][-1]
    answer.exact(f"laps of {program}", laps(full), count)
    answer.near(f"time of {program}", full["forecast"]["time_s"], full["run"]["wall_time_s"])
    probed = [shown for shown in mine if shown["run"]["kind"] == "probe"][-1]
    # The start differs from one run to the next; what comes after it is the training.
    def training(shown):
        return sum(part["time_s"] for part in shown["parts"] if part["part"] in ("laps", "validation"))
    answer.near(f"forecast of {program}", training(probed), training(full), 0.3)
    answer.exact(f"epochs of {program}", probed["forecast"]["epochs"], epochs)


@rule("29-resumed-trainers")
def resumed_trainers(answer):
    for program, count, epochs in (("hf.py", 70, 2), ("lightning_.py", 100, 2), ("keras_.py", 420, 14)):
        resumed(answer, program, count, epochs)


@rule("30-resumed-by-continue")
def resumed_by_continue(answer):
    resumed(answer, "train.py", 70, 2)
    answer.says("that it resumed at epoch 3", r"resumed: its first epoch was number 3\b")


@rule("32-nnunet-v2-loop")
def product_of_attributes(answer):
    probed, full = sorted(answer.runs(), key=lambda shown: shown["run"]["kind"], reverse=True)
    answer.exact("iterations of the whole", laps(full), 300)
    length = probed["forecast"]
    answer.exact("iterations that are planned", length["steps"] or 25 * (length["epochs"] or 0), 300)


def whole(answer, count):
    """Judges the laps of the whole run, and the plan of the probe where it is a number of iterations."""
    full = [shown for shown in answer.runs() if shown["run"]["kind"] == "full"][-1]
    answer.exact("laps", laps(full), count)
    answer.near("forecast", full["forecast"]["time_s"], full["run"]["wall_time_s"])
    return [shown for shown in answer.runs() if shown["run"]["kind"] == "probe"][-1]


@rule("34-hf-streaming-max-steps")
def streaming(answer):
    answer.exact("iterations that are planned", whole(answer, 300)["forecast"]["steps"], 300)


@rule("35-hf-accumulate-remainder")
def accumulation(answer):
    answer.exact("epochs that are planned", whole(answer, 115)["forecast"]["epochs"], 5)


@rule("36-hf-auto-find-batch-size")
def found_batch_size(answer):
    [full] = answer.runs()
    answer.exact("laps of the training that went through", laps(full), 150)
    answer.exact("epochs", full["forecast"]["epochs"], 3)
    answer.near("time", full["forecast"]["time_s"], full["run"]["wall_time_s"])
