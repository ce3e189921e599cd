"""Writes MLPerf logs."""

import json

START_MS = 1_600_000_000_000


def mllog(seconds, key, value="null", **metadata):
    inner = json.dumps({"lineno": 1} | metadata)
    return (f':::MLLOG {{"namespace": "", "time_ms": {START_MS + round(seconds * 1000)}, '
            f'"key": "{key}", "value": {value}, "metadata": {inner}}}\n')


def training(epochs=10, epoch_s=20, platform="Box"):
    """Returns an MLPerf log: 10 s until the first epoch, which takes 5 s more, and 1 s at the
    end."""
    text = mllog(0, "submission_benchmark", '"resnet"')
    text += mllog(0, "submission_platform", json.dumps(platform))
    text += mllog(0, "init_start") + mllog(9, "run_start") + mllog(9, "train_samples", 1000)
    now = 10
    for epoch in range(1, epochs + 1):
        end = now + epoch_s + (5 if epoch == 1 else 0)
        text += mllog(now, "epoch_start", epoch_num=epoch)
        text += mllog(end, "epoch_stop", epoch_num=epoch)
        now = end
    return text + mllog(now + 1, "run_stop", status="success")
