"""Lists the parts of `./check --gpu`: a module each, whose run(session) tries what it is about."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    name: str
    about: str
    short_s: int  # limits of the short and of the whole form
    whole_s: int

    @property
    def module(self):
        return "parts." + self.name.replace("-", "_")


SHORT_S = 460  # of all short forms together, after the first import of PyTorch

# The longest come last: where the machine is slow, they are cut off.
PARTS = (
    Part("machine", "`lapcast machine` against nvidia-smi and PyTorch", 30, 60),
    Part("hook", "laps, their ends and the sum of a run's parts, in programs with many habits", 90, 480),
    Part("samplers", "samples of the GPU, and its counter of energy against power x time", 60, 180),
    Part("memory", "batches until the memory is out", 60, 300),
    Part("power-limits", "limits of power as settings; changes the card's limit for a while", 60, 180),
    Part("soak", "`lapcast soak --device cuda`", 30, 60),
    Part("offload", "a training offloaded to this machine", 60, 180),
    Part("report", "the report page and the live page", 60, 180),
    Part("nqueens", "N-Queens, built here, on the GPU against one thread", 80, 480),
    Part("tune", "`probe --tune`: settings that help on the GPU", 70, 480),
    Part("forecasts", "programs probed, then run to their end; a sweep with `verify`", 120, 480),
    Part("suite", "the suite, built here, on the GPU; mnist-cnn against Python", 150, 480),
)
