"""What `lapcast machine` says of the first GPU, against nvidia-smi and PyTorch."""

import sys

FIELDS = ("name", "driver_version", "memory.total", "compute_cap", "power.limit", "uuid", "clocks.max.sm")
LOOK = """
import sys, json
sys.path.insert(0, sys.argv[1])
import device, torch
known = torch.cuda.get_device_properties(0)
print(json.dumps({"name": known.name, "memory": known.total_memory,
                  "capability": f"{known.major}.{known.minor}"}))
"""


def told_by_nvidia_smi(session):
    told = session.run("nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits")
    session.check(told.code == 0, f"nvidia-smi answers: exit status {told.code}")
    return dict(zip(FIELDS, (text.strip() for text in told.out.splitlines()[0].split(","))))


def run(session):
    session.needs_driver()
    smi = told_by_nvidia_smi(session)
    folder = session.program("device")[1].rpartition("/")[0]
    torch = session.run(sys.executable, "-c", LOOK, folder).json
    machine = session.lapcast("machine", "--json").json["machine"]
    gpu = {key.removeprefix("accelerator_0_"): value for key, value in machine.items()
           if key.startswith("accelerator_0")}
    name = gpu.pop("accelerator_0", None)
    session.check(name == smi["name"] == torch["name"], f"one name: {name}, {smi['name']}, {torch['name']}")
    session.check(gpu.get("driver") == smi["driver_version"],
                  f"one driver: {gpu.get('driver')}, {smi['driver_version']}")
    memory = gpu.get("memory_bytes") or 0
    session.check(abs(memory / 2**20 - float(smi["memory.total"])) <= 1,
                  f"the memory of nvidia-smi: {memory / 2**20:.0f}, {smi['memory.total']} MiB")
    session.check(0.95 * memory <= torch["memory"] <= memory,
                  f"PyTorch may use nearly all of it: {torch['memory'] / 2**20:.0f} MiB")
    session.check(gpu.get("compute_capability") == smi["compute_cap"] == torch["capability"],
                  f"one compute capability: {gpu.get('compute_capability')}, {torch['capability']}")
    for key, field in (("power_limit_w", "power.limit"), ("uuid", "uuid"),
                       ("top_clock_mhz", "clocks.max.sm")):
        if key in gpu:
            session.check(is_same(gpu[key], smi[field]), f"{key}: {gpu[key]}, {smi[field]}")
        else:
            session.left_out(key, "`lapcast machine` does not tell it")
    for key, value in sorted(gpu.items()):
        session.figure(key, value)


def is_same(value, text):
    try:
        return abs(float(value) - float(text)) < 1
    except ValueError:
        return str(value) == text
