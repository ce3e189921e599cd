"""Is the process of a fake cloud: HTTP around cloud.py. fakecloud.py starts it as `server.py FOLDER CONFIG`."""

import contextlib
import http.server
import json
import socket
import sys
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from cloud import REFUSALS, Cloud, Refused


class Handler(http.server.BaseHTTPRequestHandler):
    cloud = None

    def log_message(self, *words):
        pass

    def answer(self):
        url, size = urlsplit(self.path), int(self.headers.get("Content-Length") or 0)
        try:
            ask = json.loads(self.rfile.read(size) or b"{}")
            status, value = 200, self.route(url.path.strip("/").split("/"), ask, parse_qs(url.query))
        except Refused as refused:
            status, value = refused.args[0], {"error": refused.args[1], "text": refused.args[2]}
        except ConnectionAbortedError:
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(value, indent=1).encode() + b"\n")

    def route(self, words, ask, query):
        cloud, key = self.cloud, self.headers.get("Authorization", "").removeprefix("Bearer ")
        machine = cloud.machines.get(words[1]) if len(words) == 2 and words[0] == "machines" else None
        if key != cloud.key and (machine is None or key != machine["hidden"]["key"] or self.command == "PATCH"):
            raise Refused(*REFUSALS["credentials"])
        match (self.command, words[0], len(words)):
            case ("GET", "offers", 1):
                return cloud.offers
            case ("POST", "machines", 1):
                return cloud.shown(cloud.create(ask))
            case ("GET", "machines", 1):
                return cloud.list(query)
            case (verb, "machines", 2):
                if machine is None:
                    raise Refused(404, "NoSuchMachine", f"no machine {words[1]}")
                return (cloud.delete(machine) if verb == "DELETE" else
                        cloud.extend(machine, ask) if verb == "PATCH" else cloud.shown(machine))
            case ("GET", "bill", 1):
                return cloud.bill()
            case ("POST", "faults", 1):
                return cloud.order_fault(ask)
            case ("GET", "faults", 1):
                with cloud.lock:  # a fault that is used up has come
                    return list(cloud.faults)
            case ("DELETE", "faults", 1):
                cloud.faults.clear()
                return []
        raise Refused(404, "NoSuchPath", self.path)

    do_GET = do_POST = do_DELETE = do_PATCH = answer


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def service_actions(self):
        if threading.current_thread() is threading.main_thread():
            with self.RequestHandlerClass.cloud.troubles_logged():
                self.RequestHandlerClass.cloud.tick()


def main(root, config):
    cloud = Handler.cloud = Cloud(root, **config)
    inner = Server((cloud.network.gateway, 0), Handler)  # for the machines
    cloud.inner_url = f"http://{cloud.network.gateway}:{inner.server_address[1]}"
    threading.Thread(target=inner.serve_forever, daemon=True).start()
    server = Server(("127.0.0.1", 0), Handler)
    (root / "traits").write_text(json.dumps(cloud.traits))
    (root / "url.new").write_text(f"http://127.0.0.1:{server.server_address[1]}")
    (root / "url.new").rename(root / "url")
    server.serve_forever(poll_interval=0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
