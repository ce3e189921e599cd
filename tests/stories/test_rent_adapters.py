"""Tests the adapters of rent/ against imitations of the providers' interfaces; those of Google and AWS with the real
command lines, where they are installed. tests/stories/providers.py plays the providers."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import providers
from providers import KEY, LEASE, NAME

RENT = Path(__file__).resolve().parents[2] / "rent"
SCRIPT = "#!/bin/sh\nshutdown -h +20\n"
# Adapter -> the provider that is played, what a machine is ordered with, and what its entry must say.
ALL = {
    "shadeform": (providers.Shadeform, {"region": "hyperstack/canada-1"},
                  {"address": "192.0.2.7", "user": "shadeform", "usd_per_hour": "2.10", "created": 1795857153}),
    "lambda": (providers.Lambda, {"region": "us-west-1"}, {"address": "192.0.2.8", "user": "ubuntu", "usd_per_hour": "0.75"}),
    "vast": (providers.Vast, {"region": "SE"}, {"address": "192.0.2.9", "port": 40022, "usd_per_hour": "0.310000"}),
    "runpod": (providers.RunPod, {}, {"address": "192.0.2.10", "port": 10341, "usd_per_hour": "0.860000"}),
    "gcloud": (providers.Compute, {"zone": "europe-west4-a", "spot": True},
               {"address": "192.0.2.11", "user": "lapcast", "zone": "europe-west4-a", "created": 1795777200}),
    "aws": (providers.Ec2, {"region": "eu-west-1"}, {"address": "192.0.2.12", "user": "ubuntu", "zone": "eu-west-1a"}),
}
CREATED_AND_LOST = ("shadeform", "lambda", "vast", "runpod", "aws")
LONG = os.environ.get("LAPCAST_LONG_TESTS")


class Adapter:
    def __init__(self, name, folder, environment):
        self.program, self.folder = RENT / f"lapcast-rent-{name}", folder
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **environment}

    def __call__(self, verb, _error=None, **ask):
        """Returns the answer to a verb; with _error it must be an error of that kind."""
        done = subprocess.run([self.program, verb], input=json.dumps(ask), capture_output=True, text=True,
                              env=self.environment, timeout=300)
        answer = json.loads(done.stdout)
        kind = answer.get("error") if isinstance(answer, dict) else None
        assert kind == _error, (answer, done.stderr)
        assert done.returncode == (1 if _error else 0) and KEY not in done.stdout + done.stderr
        return answer

    def skip_slow(self):
        """Leaves a provider's own command line, of which each call takes seconds of CPU, to the long tests."""
        if not LONG and self.program.name.endswith(("gcloud", "aws")):
            pytest.skip("calls a slow command line many times; ./check --full")

    def machines(self):
        listed = self("list")
        return listed if isinstance(listed, list) else listed["machines"]


@pytest.fixture(params=ALL)
def rented(request, tmp_path):
    """Yields an adapter, its provider, an order and what the machine of the order must look like."""
    kind, order, expected = ALL[request.param]
    if request.param in ("gcloud", "aws") and shutil.which(request.param) is None:
        pytest.skip(f"the command line {request.param} is not installed")
    provider = kind()
    environment = provider.environment()
    if request.param == "gcloud":
        (tmp_path / "token").write_text(KEY)
        environment |= {"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(tmp_path / "token"), "CLOUDSDK_CONFIG": str(tmp_path / "gc")}
    order = {"lease": LEASE, "name": NAME, "type": provider.offer["type"], "region": "", "zone": "", "spot": False, "image": "",
             "ssh_key": f"ssh-ed25519 AAAA {NAME}", "user_data": SCRIPT, "seconds": 1230, "max_usd_per_hour": "3.00",
             "options": {}, **order}
    yield Adapter(request.param, tmp_path, environment), provider, order, expected
    provider.stop()


def deadline_is_set(name, provider, begun):
    """Checks that the order of the last machine has its end: 1230 s after it was made."""
    order = provider.order()
    if name == "shadeform":
        ends = time.strptime(order["auto_delete"]["date_threshold"], "%Y-%m-%dT%H:%M:%SZ")
        assert 0 <= time.mktime(ends) - time.mktime(time.gmtime(begun)) - 1229
        assert order["auto_delete"]["spend_threshold"] == "1.03"  # 3.00 USD x 1230 / 3600 s, rounded up
    elif name in ("vast", "runpod"):
        script = order["onstart"] if name == "vast" else order["dockerStartCmd"][2]
        assert int(re.search(r"-lt (\d+)", script)[1]) >= begun + 1229
        assert ("$CONTAINER_API_KEY" if name == "vast" else "runpodctl remove pod") in script
    elif name == "gcloud":
        assert order["scheduling"]["maxRunDuration"] == {"seconds": "1230"}
        assert order["scheduling"]["instanceTerminationAction"] == "DELETE"
        assert order["scheduling"]["provisioningModel"] == "SPOT" and not order.get("serviceAccounts")
        metadata = {item["key"]: item["value"] for item in order["metadata"]["items"]}
        assert metadata["startup-script"] == SCRIPT and metadata["ssh-keys"].startswith("lapcast:ssh-ed25519 AAAA")
        assert order["labels"] == {"lapcast-lease": LEASE}
    elif name == "aws":
        assert order["InstanceInitiatedShutdownBehavior"] == "terminate" and order["ClientToken"] == LEASE
        assert base64.b64decode(order["UserData"]).decode() == SCRIPT
        assert order["ImageId"] == "ami-0abc" and order["SecurityGroupId.1"] == "sg-1"
    else:
        assert order["user_data"] == SCRIPT


def test_a_machine_is_offered_made_listed_and_deleted(rented):
    adapter, provider, order, expected = rented
    name = adapter.program.name.removeprefix("lapcast-rent-")
    described = adapter("describe")
    assert described["contract"] == 1 and described["deadline"] in ("provider", "machine", "none")
    offers = adapter("offers", types=[provider.offer["type"]], regions=[order["region"]] if order["region"] else [])
    assert provider.offer.items() <= offers[0].items()
    assert adapter.machines() == []
    begun = time.time()
    made = adapter("create", **order)
    assert made["lease"] == LEASE and made["costs"] and made["state"] in ("starting", "running")
    deadline_is_set(name, provider, begun)
    [listed] = adapter.machines()
    assert {"lease": LEASE, "machine": made["machine"], "costs": True, **expected}.items() <= listed.items()
    if described.get("idempotent"):
        assert adapter("create", **order)["machine"] == made["machine"]
    given_back = {key: listed.get(key, "") for key in ("lease", "machine", "region", "zone")}
    for _ in range(2):  # what is not there any more is not an error
        assert adapter("delete", **given_back) == {}
    assert adapter.machines() == [] and provider.things == {}
    # as `rent check` asks
    assert adapter("delete", machine="lapcast-000000000000", lease="000000000000", region="", zone="") == {}


def test_refusals_say_of_which_kind_they_are(rented):
    adapter, provider, order, _ = rented
    adapter.skip_slow()
    for kind in ("capacity", "quota", "credentials", "limit"):
        provider.refusal = provider.refusals[kind]
        adapter("create", kind, **order)
        assert provider.refusal is None, f"{kind} was not played"
    assert provider.things == {}


def test_without_the_key_of_an_account_credentials_are_missing(rented):
    adapter, provider, order, _ = rented
    adapter.environment = {name: value for name, value in adapter.environment.items()
                           if KEY not in value and "TOKEN" not in name}
    adapter("list", "credentials")
    adapter("create", "credentials", **order)
    assert provider.requests == []


def test_a_lost_answer_is_unclear_and_the_machine_is_listed(rented):
    adapter, provider, order, _ = rented
    if adapter.program.name.removeprefix("lapcast-rent-") not in CREATED_AND_LOST:
        pytest.skip("gcloud itself asks again after a lost answer")
    adapter.skip_slow()
    provider.loses_answer = True
    adapter("create", "unclear", **order)
    assert [row["lease"] for row in adapter.machines()] == [LEASE]


def test_a_provider_that_does_not_answer_is_unclear(rented):
    adapter, provider, order, _ = rented
    if "gcloud" in adapter.program.name:
        pytest.skip("gcloud asks again for minutes")
    provider.stop()
    adapter("create", "unclear", **order)
    if "aws" in adapter.program.name:  # other regions may answer
        assert adapter("list") == {"machines": [], "complete": False}
    else:
        adapter("list", "unclear")


@pytest.fixture
def google(tmp_path):
    if shutil.which("gcloud") is None:
        pytest.skip("the command line gcloud is not installed")
    provider = providers.Compute()
    (tmp_path / "token").write_text(KEY)
    yield Adapter("gcloud", tmp_path, {**provider.environment(), "CLOUDSDK_CONFIG": str(tmp_path / "gc"),
                                       "CLOUDSDK_AUTH_ACCESS_TOKEN_FILE": str(tmp_path / "token")}), provider
    provider.stop()


def test_a_zone_of_google_that_does_not_answer_is_not_left_out(google):
    adapter, provider = google
    provider.dark = ["zones/us-x1-a"]
    assert "us-x1-a" in adapter("list", "unclear")["text"]


def test_a_region_of_google_is_a_zone_that_has_a_machine_left(google):
    adapter, provider = google
    adapter.skip_slow()
    order = {"lease": LEASE, "name": NAME, "type": "g2-standard-4", "region": "europe-west4", "seconds": 600, "ssh_key": "k"}
    adapter("create", "no-such-offer", **{**order, "region": "us-x1"})
    assert adapter("create", **order)["zone"] == "europe-west4-a"
    assert adapter("create", **order)["machine"] == NAME and len(provider.things) == 1


def test_a_disk_that_google_left_costs_and_is_deleted(google):
    adapter, provider = google
    provider.things[NAME] = {"name": NAME, "zone": "https://compute/zones/europe-west4-a"}
    provider.things["other"] = {"name": "lapcast-of-someone", "zone": "https://compute/zones/europe-west4-a"}
    [disk] = adapter.machines()
    assert (disk["kind"], disk["costs"], disk["lease"], disk["zone"]) == ("disk", True, LEASE, "europe-west4-a")
    assert adapter("delete", machine=disk["machine"], zone=disk["zone"], lease=LEASE) == {}
    assert list(provider.things) == ["other"]
    adapter("delete", "no-such-offer", machine="other", zone="europe-west4-a", lease=LEASE)


def test_all_pages_of_vast_are_read(tmp_path):
    provider = providers.Vast()
    for i in range(3):
        provider.things[str(i)] = {"id": i, "label": f"lapcast-{i:012x}", "dph_total": 0.3, "actual_status": "exited"}
    machines = Adapter("vast", tmp_path, provider.environment()).machines()
    assert [(row["lease"], row["state"], row["costs"]) for row in machines] == [(f"{i:012x}", "stopped", True) for i in range(3)]
    provider.stop()


@pytest.mark.parametrize("kind, expected", [("vast", "RTX 4090"), ("runpod", "NVIDIA L4")])
def test_all_types_are_offered(tmp_path, kind, expected):
    provider = ALL[kind][0]()
    offers = Adapter(kind, tmp_path, provider.environment())("offers")
    assert {offer["type"] for offer in offers} == {expected}
    provider.stop()


@pytest.mark.parametrize("kind, order", [("vast", {"type": "1x-RTX_4090-32-65536", "region": "Sweden, SE, EU"}),
                                         ("runpod", {"type": "L4"})])
def test_types_of_the_catalog_are_known(tmp_path, kind, order):
    provider = ALL[kind][0]()
    adapter = Adapter(kind, tmp_path, provider.environment())
    assert adapter("create", lease=LEASE, name=NAME, seconds=60, ssh_key="k", **order)["lease"] == LEASE
    asked = next(body for _, path, body in provider.requests if "bundles" in path or path == "/pods")
    assert '"RTX 4090"' in asked and '["SE"]' in asked or '"gpuTypeIds": ["NVIDIA L4"]' in asked
    provider.stop()


def test_a_container_that_became_dearer_is_not_rented(tmp_path):
    provider = providers.Vast()
    adapter = Adapter("vast", tmp_path, provider.environment())
    adapter("create", "too-dear", lease=LEASE, name=NAME, type="RTX 4090", seconds=60, ssh_key="k", max_usd_per_hour="0.30")
    assert provider.things == {}
    provider.stop()


def program(file, text):
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)


def openstack(folder):
    """Returns the adapter of OpenStack with a command line that keeps its machines in a file, and its words in another."""
    (folder / "bin").mkdir()
    program(folder / "bin/openstack", r"""
echo "$*" >>"$HOME/words"
[ ! -e "$HOME/refusal" ] || { cat "$HOME/refusal" >&2; rm "$HOME/refusal"; exit 1; }
case "$*" in
"flavor list"*) echo '[{"Name": "gpu.a100", "VCPUs": 8, "RAM": 65536}, {"Name": "m1.tiny", "VCPUs": 1, "RAM": 512}]' ;;
"image list"*) echo '[{"Name": "Ubuntu 22.04"}, {"Name": "ubuntu-24.04-nvidia"}, {"Name": "Windows"}]' ;;
"server create"*) for name; do :; done; echo "$name" >"$HOME/server"; echo '{"id": "4711", "status": "BUILD"}' ;;
"server list"*) if [ -e "$HOME/server" ]; then
  echo '[{"ID": "4711", "Name": "'$(cat "$HOME/server")'", "Status": "ACTIVE", "Networks": {"net": ["10.0.0.5", "192.0.2.13"]}}]'
  else echo '[]'; fi ;;
"floating ip list"*) if [ -e "$HOME/ip" ]; then
  echo '[{"ID": "f1", "Description": "'$(cat "$HOME/ip")'"}]'; else echo '[]'; fi ;;
"floating ip create"*) echo lapcast-5cb6fbbacaca >"$HOME/ip"; echo '{"id": "f1", "floating_ip_address": "192.0.2.13"}' ;;
"server add"*) ;;
"server delete 4711") rm "$HOME/server" 2>/dev/null || { echo "No server with a name or ID of '4711' exists." >&2; exit 1; } ;;
"floating ip delete f1") rm "$HOME/ip" ;;
*) echo "unknown: $*" >&2; exit 2 ;;
esac
""")
    return Adapter("openstack", folder, {"PATH": f"{folder}/bin:{os.environ['PATH']}"})


def test_openstack_rents_a_machine_with_a_public_address(tmp_path):
    adapter = openstack(tmp_path)
    order = {"lease": LEASE, "name": NAME, "type": "gpu.a100", "seconds": 600, "user_data": SCRIPT, "ssh_key": "k",
             "options": {"floating": "public"}}
    assert adapter("offers", types=["gpu.a100"]) == [{"type": "gpu.a100", "region": "", "vcpus": 8, "memory_gib": 64.0}]
    assert adapter("create", **order)["machine"] == "4711"
    words = (tmp_path / "words").read_text()
    assert "--image ubuntu-24.04-nvidia --property lapcast-lease=" + LEASE in words and "--wait" in words
    machine, address = adapter.machines()
    assert (machine["state"], machine["address"], machine["costs"]) == ("running", "192.0.2.13", True)
    assert (address["kind"], address["costs"]) == ("address", True)
    for thing in (machine, address, machine):
        assert adapter("delete", lease=LEASE, machine=thing["machine"], region="", zone="") == {}
    assert adapter.machines() == []


@pytest.mark.parametrize("kind, said", [
    ("quota", "Quota exceeded for cores: Requested 8, but already used 16 of 20 cores (HTTP 403)"),
    ("credentials", "The request you have made requires authentication. (HTTP 401)"),
    ("capacity", "No valid host was found. There are not enough hosts available."),
    ("limit", "This request was rate-limited. (HTTP 429)"), ("no-such-offer", "No Flavor found for gpu.h100"),
    ("unclear", "Unexpected API Error. (HTTP 500)")])
def test_openstack_says_why_it_refuses(tmp_path, kind, said):
    adapter = openstack(tmp_path)
    (tmp_path / "refusal").write_text(said)
    adapter("create", kind, lease=LEASE, name=NAME, type="gpu.a100", seconds=600, ssh_key="k", image="i")


def test_programs_of_your_own_rent(tmp_path):
    own = tmp_path / ".config/lapcast/rent/exec"
    own.mkdir(parents=True)
    adapter = Adapter("exec", tmp_path, {})
    assert adapter("describe") == {"contract": 1, "name": "your own programs"}
    adapter("list", "credentials")
    program(own / "create", """grep -q shutdown "$USER_DATA" || exit 1
[ "$TYPE" = big ] || exit 75
echo "$LEASE vm-1 starting" | tee "$HOME/machines"
echo "$NAME $SECONDS $SPOT $OPTION_POOL" >"$HOME/order"
""")
    program(own / "list", '[ ! -e "$HOME/machines" ] || sed "s/starting/running 192.0.2.14 2222 - 0.25/" "$HOME/machines"\n')
    program(own / "delete", '[ "$MACHINE" = vm-1 ] && rm -f "$HOME/machines"\n')
    (own / "describe.json").write_text('{"deadline": "machine", "power_off_ends_bill": true, "user_data": true}')
    (own / "offers.json").write_text('[{"type": "big", "region": "", "usd_per_hour": "0.25"}]')
    assert adapter("describe")["deadline"] == "machine"
    assert [row["type"] for row in adapter("offers", types=["big"])] == ["big"]
    order = {"lease": LEASE, "name": NAME, "type": "big", "seconds": 600.5, "user_data": SCRIPT, "ssh_key": "k",
             "options": {"pool": "blue"}}
    adapter("create", "capacity", **{**order, "type": "small"})
    assert adapter("create", **order)["state"] == "starting"
    assert (tmp_path / "order").read_text() == f"{NAME} 600 0 blue\n"
    [machine] = adapter.machines()
    assert machine == {"lease": LEASE, "machine": "vm-1", "state": "running", "costs": True, "address": "192.0.2.14",
                       "port": 2222, "usd_per_hour": "0.25"}
    assert adapter("delete", lease=LEASE, machine="vm-1") == {}
    assert adapter.machines() == []


def test_the_example_takes_a_failed_launch_of_skypilot_down(tmp_path):
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin/sky", 'echo "$*" >>"$HOME/words"\ncase $1 in launch) echo "no capacity" >&2; exit 1 ;; esac\n')
    adapter = Adapter("exec", tmp_path, {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PYTHONPATH": str(RENT)})
    adapter.program = RENT.parent / "examples/lapcast-rent-sky"
    adapter("create", "capacity", lease=LEASE, name=NAME, type="A100:1", region="gcp/us-west1", seconds=600, ssh_key="k")
    launched, down = (tmp_path / "words").read_text().splitlines()
    assert launched.startswith(f"launch -c {NAME} -i 0 --down -d -y ") and down == f"down -y {NAME}"


def test_adapters_are_short_and_need_nothing():
    adapters = sorted(RENT.glob("lapcast-rent-*"))
    assert len(adapters) == 8
    for file in adapters:
        assert len(file.read_text().splitlines()) <= 150
        imported = set(re.findall(r"^(?:import|from) (\w+)", file.read_text(), re.M))
        assert imported <= sys.stdlib_module_names | {"adapter"}
