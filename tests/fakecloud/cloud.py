"""Holds the machines of a fake cloud: what they cost, what becomes of them, and which requests fail."""

import contextlib
import json
import math
import random
import secrets
import threading
import time

import machine as machines_of_namespaces
from machine import Network

OFFERS = [{"type": "small", "price": 0.10, "cpus": 1, "boot": 0.5},
          {"type": "large", "price": 0.40, "cpus": 2, "boot": 1.0},
          {"type": "large", "price": 0.12, "cpus": 2, "boot": 1.0, "spot": True}]
ZONES = ["north-a", "north-b", "south-a"]
TRAITS = {"tokens": True, "deadlines": True, "extends": True, "user_data": True, "tags": True,
          "tells_host_key": False, "power_off_ends": True, "billed_from": "created", "billing_step": 1,
          "billing_minimum": 0, "quota": 100, "settle_seconds": 1}
FAULTS = {"create": ["capacity", "quota", "credentials", "error", "throttled", "created_but_error", "answer_lost",
                     "slow", "never_boots", "boot_fails", "no_ssh", "wrong_hardware", "higher_price"],
          "list": ["empty", "error", "credentials", "throttled", "slow", "stale", "partial"],
          "delete": ["lies", "error", "credentials", "throttled", "slow", "keeps_disk"],
          "life": ["preempted", "killed", "hangs", "deadline_ignored", "address_reused"]}
REFUSALS = {"capacity": (503, "InsufficientCapacity", "no machine of this type is left"),
            "quota": (403, "QuotaExceeded", "you have as many machines as you may have"),
            "credentials": (401, "Unauthorized", "the key is not valid"),
            "throttled": (429, "TooManyRequests", "ask again later"),
            "error": (500, "InternalError", "an internal error has occurred"),
            "created_but_error": (500, "InternalError", "an internal error has occurred")}
COSTS = ("pending", "running", "stopped", "stored")  # the states that are billed


class Refused(Exception):
    """Is an answer (status, code, text) that is not a success."""


class Cloud:
    """Requests change the machines under a lock. Only tick(), on the main thread, starts processes: a
    machine ends when the thread that started it does."""

    def __init__(self, root, offers=None, traits=None, seed=1):
        self.root, self.traits = root, {**TRAITS, **(traits or {})}
        self.offers = [{"zones": ZONES, "boot": 0.5, **offer} for offer in offers or OFFERS]
        self.lock, self.random = threading.RLock(), random.Random(seed)
        self.key = (root / "key").read_text()
        self.machines, self.faults, self.processes = {}, [], {}
        self.inner_url = ""  # set before the first machine boots
        self.network = Network(root / "log")

    def log(self, event, machine=None, **more):
        with (self.root / "log").open("a") as out:
            out.write(json.dumps({"time": round(time.time(), 3), "event": event, "id": (machine or {}).get("id"),
                                  **more}) + "\n")

    # Faults -----------------------------------------------------------------------------------------

    def order_fault(self, ask):
        if ask.get("kind") not in FAULTS.get(ask.get("moment"), []):
            raise Refused(400, "NoSuchFault", json.dumps(FAULTS))
        with self.lock:
            self.faults.append({"left": 1, "share": 1.0, "seconds": 5.0, **ask})
            return self.faults

    def fault(self, moment, kinds=None, **of_what):
        """Returns the next fault of that moment, which is then used up; {} where none is ordered."""
        with self.lock:
            for fault in self.faults:
                if (fault["moment"] == moment and fault["left"] and fault["kind"] in (kinds or FAULTS[moment])
                        and all(fault.get(name) in (None, value) for name, value in of_what.items())
                        and self.random.random() < fault["share"]):
                    fault["left"] -= 1
                    self.log("fault", kind=fault["kind"], moment=moment)
                    return fault
        return {}

    def begin(self, moment, **of_what):
        """Returns the fault of a request, after the part of it that all requests share."""
        fault = self.fault(moment, **of_what)
        if fault.get("kind") == "slow":
            time.sleep(fault["seconds"])
        if fault.get("kind") in ("credentials", "error", "throttled", "capacity", "quota"):
            raise Refused(*REFUSALS[fault["kind"]])
        return fault

    # Requests ---------------------------------------------------------------------------------------

    def create(self, ask):
        offer = next((o for o in self.offers if o["type"] == ask.get("type")
                      and bool(o.get("spot")) == bool(ask.get("spot"))), None)
        zone = ask.get("zone") or (offer["zones"][0] if offer else "")
        if offer is None or zone not in offer["zones"]:
            raise Refused(404, "NoSuchOffer", f"no offer {ask.get('type')!r} in zone {zone!r}")
        with self.lock:
            same = [m for m in self.machines.values() if ask.get("token") and m["token"] == ask["token"]]
        if same and self.traits["tokens"]:
            return same[0]
        fault = self.begin("create", type=offer["type"], zone=zone)
        with self.lock:
            if sum(m["state"] in COSTS for m in self.machines.values()) >= self.traits["quota"]:
                raise Refused(*REFUSALS["quota"])
            machine = self.add(ask, offer, zone, fault.get("kind"))
        if fault.get("kind") == "created_but_error":
            raise Refused(*REFUSALS["created_but_error"])
        if fault.get("kind") == "answer_lost":
            raise ConnectionAbortedError
        return machine

    def add(self, ask, offer, zone, fault=None, owner="you", address=None):
        now, number = time.time(), len(self.machines) + 1
        taken = {m["address"] for m in self.machines.values() if m["state"] in COSTS}
        ends = self.traits["power_off_ends"] and ask.get("on_shutdown") == "terminate"
        machine = {
            "id": f"m-{number:04d}", "name": ask.get("name", ""), "type": offer["type"], "zone": zone,
            "tags": ask.get("tags", {}) if self.traits["tags"] else {}, "spot": bool(offer.get("spot")),
            "token": ask.get("token"), "state": "pending", "reason": "",
            "address": address or self.network.free_address(taken), "port": 22, "user": "root", "host_key": None,
            "price": offer["price"] * (1.5 if fault == "higher_price" else 1), "created": now, "running": None,
            "ended": None, "preempted_at": None, "on_shutdown": "terminate" if ends else "stop",
            "deadline": now + float(ask["deadline"]) if self.traits["deadlines"] and ask.get("deadline") else None,
            "hidden": {"boots_at": math.inf if fault == "never_boots" else now + offer["boot"], "fault": fault,
                       "offer": offer, "owner": owner, "ssh_key": ask.get("ssh_key", ""),
                       "key": secrets.token_hex(8),
                       "user_data": ask.get("user_data", "") if self.traits["user_data"] else ""}}
        self.machines[machine["id"]] = machine
        self.log("created", machine, type=offer["type"], zone=zone)
        return machine

    def list(self, tags):
        """Returns {"machines", "unreachable"}: the zones that did not answer."""
        fault = self.begin("list")
        newest = time.time() - fault.get("seconds", 0) if fault.get("kind") == "stale" else math.inf
        dark = [fault.get("zone", ZONES[0])] if fault.get("kind") == "partial" else []
        with self.lock:
            return {"unreachable": dark, "machines": [
                self.shown(m) for m in self.machines.values()
                if m["hidden"]["owner"] == "you" and m["created"] < newest and fault.get("kind") != "empty"
                and m["zone"] not in dark and all(m["tags"].get(name) == value[0] for name, value in tags.items())]}

    def delete(self, machine):
        fault = self.begin("delete", type=machine["type"])
        if fault.get("kind") != "lies":
            with self.lock:
                self.end(machine, "terminated", "deleted")
                if fault.get("kind") == "keeps_disk" and machine["type"] != "disk":
                    offer = {"type": "disk", "price": machine["price"] / 10, "boot": 0}
                    disk = self.add({"tags": machine["tags"]}, offer, machine["zone"], "never_boots")
                    disk.update(state="stored", address=None)
        return self.shown(machine)

    def extend(self, machine, ask):
        if not (self.traits["extends"] and machine["deadline"]) or machine["state"] not in COSTS:
            raise Refused(400, "CannotExtend", "the end of this machine cannot be moved")
        machine["deadline"] = time.time() + float(ask["deadline"])
        return self.shown(machine)

    def bill(self):
        """Returns what really is, whatever lists say."""
        with self.lock:
            rows = [self.shown(m) for m in self.machines.values() if m["hidden"]["owner"] == "you"]
        return {"cost": round(sum(row["cost"] for row in rows), 9), "machines": rows,
                "alive": [row["id"] for row in rows if row["state"] in COSTS]}

    def shown(self, machine):
        since, step = machine[self.traits["billed_from"]], self.traits["billing_step"]
        used = max((machine["ended"] or time.time()) - since, self.traits["billing_minimum"]) if since else 0
        seconds = math.ceil(used / step) * step
        return {**{name: value for name, value in machine.items() if name != "hidden"},
                "billed_seconds": seconds, "cost": round(seconds * machine["price"] / 3600, 9)}

    # What happens by itself -------------------------------------------------------------------------

    def tick(self):
        with self.lock:
            for machine in [m for m in self.machines.values() if m["state"] in COSTS]:
                self.age(machine, machine["hidden"], time.time())

    def age(self, machine, hidden, now):
        if machine["deadline"] and now >= machine["deadline"] and not hidden.get("overtime"):
            hidden["overtime"] = bool(self.fault("life", ["deadline_ignored"], type=machine["type"]))
            if not hidden["overtime"]:
                return self.end(machine, "terminated", "deadline")
        if machine["state"] == "pending" and now >= hidden["boots_at"]:
            return self.boot(machine, hidden)
        process = self.processes.get(machine["id"])
        if process is not None and process.poll() is not None and not hidden.get("killed"):
            ends = machine["on_shutdown"] == "terminate"
            return self.end(machine, "terminated" if ends else "stopped", "shut down by itself")
        if machine["preempted_at"] and now >= machine["preempted_at"]:
            return self.end(machine, "terminated", "preempted")
        if machine["state"] == "running" and hidden["owner"] == "you" and not hidden.get("killed"):
            self.strike(machine, hidden, process, now)
        key = self.root / machine["id"] / "ssh/ssh_host_ed25519_key.pub"
        if self.traits["tells_host_key"] and machine["host_key"] is None and key.exists():
            machine["host_key"] = " ".join(key.read_text().split()[:2])

    def strike(self, machine, hidden, process, now):
        """Lets a running machine have the next fault of its life."""
        kinds = ["killed", "hangs"] + ["preempted"] * (not machine["preempted_at"])
        fault = self.fault("life", kinds, type=machine["type"])
        if fault.get("kind") == "preempted":
            machine["preempted_at"] = now + fault["seconds"]
            (self.root / machine["id"] / "home/preemption-notice").write_text(f"{machine['preempted_at']}\n")
        elif fault.get("kind") == "killed":  # nothing answers any more, and the bill goes on
            hidden["killed"] = True
            process.kill()
            process.wait()
        elif fault.get("kind") == "hangs":
            machines_of_namespaces.stop_programs(process)

    def boot(self, machine, hidden):
        if hidden["fault"] == "boot_fails":
            return self.end(machine, "error", "the boot failed")
        instance = {"id": machine["id"], "url": self.inner_url, "key": hidden["key"]}
        self.processes[machine["id"]] = machines_of_namespaces.boot(
            self.root / machine["id"], self.network, name=machine["id"], address=machine["address"],
            offer=hidden["offer"], ssh_key=hidden["ssh_key"], user_data=hidden["user_data"], instance=instance,
            wrong_hardware=hidden["fault"] == "wrong_hardware", without_ssh=hidden["fault"] == "no_ssh")
        machine.update(state="running", running=time.time())
        self.log("running", machine, address=machine["address"])

    def end(self, machine, state, reason):
        if machine["state"] == "terminated":
            return
        if machine["state"] in COSTS and state not in COSTS:
            machine["ended"] = time.time()
        machine.update(state=state, reason=reason)
        self.log(state, machine, reason=reason)
        if (process := self.processes.pop(machine["id"], None)) is not None:
            process.kill()
            process.wait()
            self.network.disconnect(machine["id"][2:])
        if machine["hidden"]["owner"] == "you" and self.fault("life", ["address_reused"], type=machine["type"]):
            self.add({"ssh_key": machine["hidden"]["ssh_key"]}, {**machine["hidden"]["offer"], "boot": 0},
                     machine["zone"], owner="a stranger", address=machine["address"])

    @contextlib.contextmanager
    def troubles_logged(self):
        try:
            yield
        except Exception as error:
            self.log("trouble", text=repr(error))
