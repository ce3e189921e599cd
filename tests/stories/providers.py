"""Plays the HTTP interfaces of providers for the adapters of rent/, as far as these use them. The answers have the
shape that the providers' documentation gives; no provider was asked."""

import http.server
import json
import re
import threading
import time
from urllib.parse import parse_qs, urlsplit

KEY = "the-key-of-the-account"
LEASE = "5cb6fbbacaca"
NAME = f"lapcast-{LEASE}"


class Provider:
    """Answers requests by route(); `refusal` (status, value) is the answer to the next request that makes a machine.
    Keeps all requests in `requests` as (verb, path, body)."""

    refusals = {}  # kind of the contract -> (status, value)

    def __init__(self):
        self.things, self.requests, self.refusal, self.loses_answer = {}, [], None, False
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *words):
                pass

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                provider.requests.append((self.command, self.path, body))
                known = KEY in str(self.headers)
                status, value = provider.route(self.command, self.path, body) if known else provider.refusals["credentials"]
                if status is None:
                    return self.connection.shutdown(2)
                text = value if isinstance(value, str) else json.dumps(value)
                self.send_response(status)
                self.send_header("Content-Type", "application/json" if text is not value else "text/xml")
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_DELETE = do_PUT = answer

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def stop(self):
        if self.server.socket.fileno() != -1:
            self.server.shutdown()
            self.server.server_close()

    def environment(self):
        """Returns the variables with which the adapter asks this server."""
        raise NotImplementedError

    def make(self, name, thing, answer):
        """Makes a thing, unless it is refused. Returns the answer to the request."""
        if self.refusal:
            refusal, self.refusal = self.refusal, None
            return refusal
        self.things[name] = thing
        return (None, None) if self.loses_answer else (200, answer)

    def order(self):
        """Returns the request that made the last machine."""
        return json.loads(next(body for verb, path, body in reversed(self.requests) 
                               if re.search(self.makes, path.split("?")[0]) and verb in ("POST", "PUT")))


class Shadeform(Provider):
    makes = "/instances/create$"
    refusals = {"capacity": (409, {"error": "The requested instance type is out of stock"}),
                "quota": (400, {"error": "Quota of this account is used up"}),
                "credentials": (401, {"error": "Invalid API key"}), "limit": (429, {"error": "Too many requests"})}
    offer = {"type": "A6000", "region": "hyperstack/canada-1", "usd_per_hour": "2.10", "available": True}

    def environment(self):
        return {"LAPCAST_SHADEFORM_URL": self.url, "SHADEFORM_API_KEY": KEY}

    def route(self, verb, path, body):
        ask = json.loads(body or "{}")
        if path == "/instances/types":
            places = [{"region": "canada-1", "available": True}, {"region": "us-1", "available": False}]
            return 200, {"instance_types": [{
                "cloud": "hyperstack", "shade_instance_type": "A6000", "hourly_price": 210, "availability": places,
                "configuration": {"gpu_type": "A6000", "num_gpus": 1, "vram_per_gpu_in_gb": 48, "vcpus": 28,
                                  "memory_in_gb": 58, "os_options": ["ubuntu22.04_cuda12.2_shade_os", "ubuntu22.04"]}}]}
        if path == "/instances/create":
            row = {**ask, "id": "d290", "status": "active", "ip": "192.0.2.7", "ssh_port": 22, "ssh_user": "shadeform",
                   "hourly_price": 210, "created_at": "2026-11-28T09:12:33.001Z"}
            return self.make("d290", row, {"id": "d290", "cloud_assigned_id": "13b0"})
        if path == "/instances":
            return 200, {"instances": [row for row in self.things.values() if "ip" in row]}
        if path == "/sshkeys/add":
            self.things[f"key-{ask['name']}"] = {"id": f"key-{ask['name']}", "name": ask["name"]}
            return 200, {"id": f"key-{ask['name']}"}
        if path == "/sshkeys":
            return 200, {"ssh_keys": [row for row in self.things.values() if "ip" not in row]}
        kind, name, what = path.strip("/").split("/")
        if what == "update":
            self.things[name].update(ask)
            return 200, {}
        return (200, {}) if self.things.pop(name, None) else (404, {"error": "not found"})


class Lambda(Provider):
    makes = "/launch$"
    refusals = {"capacity": (400, {"error": {"code": "instance-operations/launch/insufficient-capacity",
                                             "message": "Not enough capacity to fulfill launch request."}}),
                "quota": (400, {"error": {"code": "global/quota-exceeded", "message": "Quota exceeded."}}),
                "credentials": (403, {"error": {"code": "global/invalid-api-key", "message": "API key is invalid"}}),
                "limit": (429, {"error": {"code": "global/too-many-requests", "message": "Slow down"}})}
    offer = {"type": "gpu_1x_a10", "region": "us-west-1", "usd_per_hour": "0.75", "available": True, "vcpus": 30}
    kind = {"name": "gpu_1x_a10", "gpu_description": "A10 (24 GB PCIe)", "price_cents_per_hour": 75,
            "specs": {"vcpus": 30, "memory_gib": 200, "storage_gib": 1400, "gpus": 1}}

    def environment(self):
        return {"LAPCAST_LAMBDA_URL": self.url, "LAMBDA_API_KEY": KEY}

    def route(self, verb, path, body):
        ask = json.loads(body or "{}")
        if path == "/instance-types":
            return 200, {"data": {"gpu_1x_a10": {"instance_type": self.kind, "regions_with_capacity_available": [
                {"name": "us-west-1", "description": "California"}]}}}
        if path == "/instance-operations/launch":
            row = {"id": "0920", "name": ask["name"], "status": "booting", "region": {"name": ask["region_name"]},
                   "ip": "192.0.2.8", "instance_type": self.kind}
            return self.make("0920", row, {"data": {"instance_ids": ["0920"]}})
        if path == "/instances":
            return 200, {"data": [row for row in self.things.values() if "ip" in row]}
        if path == "/ssh-keys" and verb == "POST":
            self.things["k1"] = {"id": "k1", **ask}
            return 200, {"data": self.things["k1"]}
        if path == "/ssh-keys":
            return 200, {"data": [row for row in self.things.values() if "ip" not in row]}
        [name] = ask.get("instance_ids") or [path.rpartition("/")[2]]
        return (200, {"data": {}}) if self.things.pop(name, None) else (404, {"error": {"code": "global/object-does-not-exist"}})


class Vast(Provider):
    makes = "/asks/"
    refusals = {"capacity": (400, {"success": False, "error": "no_such_ask", "msg": "error 404/3603: no_such_ask Instance "
                                   "type by id 9 is not available"}),
                "quota": (200, {"success": False, "error": "insufficient_credit", "msg": "Your account lacks credit"}),
                "credentials": (401, {"success": False, "error": "auth_error", "msg": "Invalid user key"}),
                "limit": (429, "API requests too frequent")}
    offer = {"type": "RTX 4090", "region": "SE", "usd_per_hour": "0.310000", "gpu_count": 1, "egress_usd_per_gb": 0.003}

    def environment(self):
        return {"LAPCAST_VAST_URL": self.url, "VAST_API_KEY": KEY}

    def route(self, verb, path, body):
        if path.startswith("/api/v0/bundles/"):
            return 200, {"offers": [{"id": 384826, "gpu_name": "RTX 4090", "num_gpus": 1, "gpu_ram": 24564, "cpu_ram": 64000,
                                     "dph_total": 0.31, "inet_up_cost": 0.003, "geolocation": "Sweden, SE",
                                     "cpu_cores_effective": 16.0}]}
        if path == "/api/v0/asks/384826/":
            row = {"id": 7835610, "label": json.loads(body)["label"], "actual_status": "running", "dph_total": 0.31,
                   "start_date": 1795753000.5, "public_ipaddr": "192.0.2.9\n", "ssh_host": "ssh6.vast.ai", "ssh_port": 10600,
                   "ports": {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": "40022"}]}}
            return self.make("7835610", row, {"success": True, "new_contract": 7835610})
        if path.startswith("/api/v1/instances/"):  # a page has one entry
            rows = list(self.things.values())
            at = int(parse_qs(urlsplit(path).query).get("after_token", ["0"])[0])
            return 200, {"success": True, "instances": rows[at:at + 1], "next_token": str(at + 1) if at + 1 < len(rows) else None}
        name = path.strip("/").rpartition("/")[2]
        return (200, {"success": True}) if self.things.pop(name, None) else (404, {"success": False, "msg": "no_such_instance"})


class RunPod(Provider):
    makes = "/pods$"
    refusals = {"capacity": (500, {"error": "create pod: There are no longer any instances available with the requested "
                                   "specifications. Please refresh and try again.", "status": 500}),
                "quota": (500, {"error": "create pod: your balance is too low", "status": 500}),
                "credentials": (401, {"error": "Unauthorized", "status": 401}), "limit": (429, {"error": "Rate limit"})}
    offer = {"type": "2x NVIDIA L4", "spot": False, "usd_per_hour": "0.860000", "gpu_memory_gib": 24, "available": True}

    def environment(self):
        return {"LAPCAST_RUNPOD_URL": self.url, "LAPCAST_RUNPOD_GRAPHQL_URL": self.url + "/graphql", "RUNPOD_API_KEY": KEY}

    def route(self, verb, path, body):
        if path == "/graphql":
            low = {"uninterruptablePrice": 0.43, "minimumBidPrice": 0.2, "stockStatus": "High", "minVcpu": 8, "minMemory": 30}
            return 200, {"data": {"gpuTypes": [{"id": "NVIDIA L4", "memoryInGb": 24, "lowestPrice": low}]}}
        if verb == "POST":
            row = {"id": "xedezhzb9la3ye", "name": json.loads(body)["name"], "desiredStatus": "RUNNING", "costPerHr": "0.86",
                   "publicIp": "192.0.2.10", "portMappings": {"22": 10341}, "createdAt": "2026-11-28 09:12:33.1 +0000 UTC"}
            return self.make(row["id"], row, {**row, "publicIp": "", "portMappings": {}})
        if verb == "GET":
            return 200, list(self.things.values())
        name = path.rpartition("/")[2]
        return (204, "") if self.things.pop(name, None) else (404, {"error": "pod not found"})


class Compute(Provider):
    """Is Google's Compute Engine, as gcloud and the adapter ask it."""

    makes = "/instances$"
    full = [{"code": "ZONE_RESOURCE_POOL_EXHAUSTED", "message": "The zone does not have enough resources available."}]
    used = [{"code": "QUOTA_EXCEEDED", "message": "Quota 'NVIDIA_L4_GPUS' exceeded.  Limit: 0.0 in region europe-west4."}]
    refusals = {"capacity": (200, {"errors": full}), "quota": (200, {"errors": used}),
                "credentials": (403, {"error": {"code": 403, "message": "Required 'compute.instances.create' permission for "
                                                "'projects/p'", "errors": [{"reason": "forbidden"}]}}),
                "limit": (403, {"error": {"code": 403, "message": "Rate Limit Exceeded", "errors": [
                    {"reason": "rateLimitExceeded", "message": "Rate Limit Exceeded"}]}})}
    offer = {"type": "g2-standard-4", "region": "europe-west4", "zone": "europe-west4-a", "gpu": "nvidia-l4", "vcpus": 4,
             "available": False}
    dark = ()  # zones that do not answer

    def environment(self):
        return {"CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE": f"{self.url}/compute/v1/", "CLOUDSDK_CORE_PROJECT": "p",
                "CLOUDSDK_CORE_DISABLE_PROMPTS": "1"}

    def operation(self, zone, name, error=None):
        link = f"{self.url}/compute/v1/projects/p/zones/{zone}"
        failed = {"error": error, "httpErrorStatusCode": 400, "httpErrorMessage": "BAD REQUEST"} if error else {}
        return {"kind": "compute#operation", "id": "1", "name": "operation-1", "status": "DONE", "progress": 100,
                "zone": link, "operationType": "insert", "targetLink": f"{link}/instances/{name}",
                "selfLink": f"{link}/operations/operation-1", **failed}

    def insert(self, zone, ask):
        link = f"{self.url}/compute/v1/projects/p/zones/{zone}"
        if ask["name"] in self.things:
            return 409, {"error": {"code": 409, "message": f"The resource '{ask['name']}' already exists"}}
        row = {**ask, "id": "123", "status": "RUNNING", "selfLink": f"{link}/instances/{ask['name']}", "zone": link,
               "creationTimestamp": "2026-11-27T04:00:00.000-07:00", "networkInterfaces": [{
                   "name": "nic0", "networkIP": "10.128.0.2", "accessConfigs": [{"name": "external-nat", "natIP": "192.0.2.11"}]}]}
        status, value = self.make(ask["name"], row, None)
        if status == 200:
            self.last = self.operation(zone, ask["name"], value)
            return 200, self.last
        return status, value

    def aggregated(self, what, rows):
        if self.dark:
            return 200, {"unreachables": list(self.dark), "items": {}}
        return 200, {"items": {"zones/europe-west4-a": {what: rows}, "zones/us-x1-a": {"warning": {"code": "NO_RESULTS"}}}}

    def route(self, verb, path, body):
        path = path.split("?")[0]
        zone = (re.findall("/zones/([^/]+)", path) or [""])[0]
        if path.endswith("/instances") and verb == "POST":
            return self.insert(zone, json.loads(body))
        if found := re.search("/zones/[^/]+/(instance|disk)s/([^/]+)$", path):
            if found[2] not in self.things:
                return 404, {"error": {"code": 404, "message": f"The resource '{found[2]}' was not found"}}
            return 200, self.operation(zone, self.things.pop(found[2])["name"]) if verb == "DELETE" else self.things[found[2]]
        if path.endswith("/aggregated/instances"):
            return self.aggregated("instances", [row for row in self.things.values() if "status" in row])
        if path.endswith("/aggregated/disks"):
            return self.aggregated("disks", [row for row in self.things.values() if "status" not in row])
        if path.endswith("/aggregated/machineTypes"):
            return self.aggregated("machineTypes", [{
                "name": "g2-standard-4", "zone": "europe-west4-a", "guestCpus": 4, "memoryMb": 16384, "accelerators": [
                    {"guestAcceleratorType": "nvidia-l4", "guestAcceleratorCount": 1}]}])
        if path.endswith("/regions"):
            return 200, {"items": [{"name": "europe-west4", "quotas": [
                {"metric": "NVIDIA_L4_GPUS", "limit": 0.0}, {"metric": "PREEMPTIBLE_NVIDIA_L4_GPUS", "limit": 1.0}]}]}
        if "/operations/" in path:
            return 200, self.last
        base = f"{self.url}/compute/v1/projects"
        if found := re.search("/images/family/([^/]+)$", path):
            return 200, {"kind": "compute#image", "name": "img", "family": found[1], "selfLink": f"{base}/i/global/images/img"}
        return 200, {"kind": "compute#project", "name": "p", "commonInstanceMetadata": {"items": []}, "selfLink": f"{base}/p",
                     "status": "UP", "region": f"{base}/p/regions/europe-west4"}


def xml(value):
    """Returns a value as the XML of EC2: dicts have elements, lists have items."""
    if isinstance(value, dict):
        return "".join(f"<{name}>{xml(part)}</{name}>" for name, part in value.items())
    if isinstance(value, list):
        return "".join(f"<item>{xml(part)}</item>" for part in value)
    return str(value)


class Ec2(Provider):
    """Is EC2, the parameters of the Systems Manager and the quotas, as the command line aws asks them."""

    makes = "no path tells what a request is"
    refusals = {kind: (status, f"<Response><Errors><Error><Code>{code}</Code><Message>{text}</Message></Error></Errors>"
                       "</Response>")
                for kind, status, code, text in (
                    ("capacity", 400, "InsufficientInstanceCapacity", "We do not have sufficient g6.xlarge capacity."),
                    ("quota", 400, "VcpuLimitExceeded", "Your current vCPU limit of 0 allows no such instance."),
                    ("credentials", 403, "AuthFailure", "AWS was not able to validate the provided access credentials"),
                    ("limit", 400, "RequestLimitExceeded", "Request limit exceeded."))}
    offer = {"type": "g6.xlarge", "region": "eu-west-1", "spot": False, "gpu": "L4", "gpu_memory_gib": 24.0, "vcpus": 4,
             "available": False}

    def environment(self):
        return {"AWS_ENDPOINT_URL": self.url, "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": "x", "AWS_MAX_ATTEMPTS": "1",
                "AWS_EC2_METADATA_DISABLED": "true", "LAPCAST_AWS_REGIONS": "eu-west-1"}

    def order(self):
        return next({name: values[0] for name, values in parse_qs(body).items()} for _, _, body in reversed(self.requests)
                    if "Action=RunInstances" in body)

    def instance(self, ask):
        tags = [{"key": ask[f"TagSpecification.1.Tag.{i}.Key"], "value": ask[f"TagSpecification.1.Tag.{i}.Value"]} for i in (1, 2)]
        return {"instanceId": "i-0123456789", "instanceState": {"code": 16, "name": "running"}, "ipAddress": "192.0.2.12",
                "instanceType": ask["InstanceType"], "launchTime": "2026-11-28T09:12:33.000Z", "tagSet": tags,
                "placement": {"availabilityZone": "eu-west-1a"}}

    def route(self, verb, path, body):
        if body.startswith("{"):  # the JSON of the two other services
            return 200, ({"Quota": {"Value": 0.0}} if "QuotaCode" in body else {"Parameter": {"Value": "ami-0abc"}})
        ask = {name: values[0] for name, values in parse_qs(body).items()}
        action = ask["Action"]
        if action == "RunInstances":
            row = self.instance(ask)
            status, value = self.make(row["instanceId"], row, {"reservationId": "r-1", "instancesSet": [row]})
            return status, self.answer(action, value) if status == 200 else value
        rows = list(self.things.values())
        if action in ("TerminateInstances", "DeleteVolume"):
            name = ask.get("InstanceId.1") or ask.get("VolumeId")
            if self.things.pop(name, None) is None:
                return 400, self.refusals["quota"][1].replace("VcpuLimitExceeded", "InvalidInstanceID.NotFound")
        return 200, self.answer(action, {
            "DescribeInstances": {"reservationSet": [{"instancesSet": [row for row in rows if "instanceId" in row]}]},
            "DescribeVolumes": {"volumeSet": [row for row in rows if "volumeId" in row]},
            "DescribeSecurityGroups": {"securityGroupInfo": []}, "CreateSecurityGroup": {"groupId": "sg-1"},
            "DescribeInstanceTypes": {"instanceTypeSet": [{
                "instanceType": "g6.xlarge", "vCpuInfo": {"defaultVCpus": 4}, "memoryInfo": {"sizeInMiB": 16384},
                "gpuInfo": {"gpus": [{"name": "L4", "count": 1, "memoryInfo": {"sizeInMiB": 24576}}]}}]}}.get(action, {}))

    @staticmethod
    def answer(action, value):
        space = "http://ec2.amazonaws.com/doc/2016-11-15/"
        return f'<?xml version="1.0"?><{action}Response xmlns="{space}">{xml(value)}</{action}Response>'
