"""A server of price lists for stories, which misbehaves on request."""
import http.server
import threading

import pytest


@pytest.fixture
def server():
    """Serves PATHS: bytes, or a function of the request's handler; a path that is not among them
    redirects to another host."""
    paths = {}
    over = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = paths.get(self.path)
            if callable(body):
                return body(self, over)
            self.send_response(302 if body is None else 200)
            if body is None:
                self.send_header("Location", "http://127.0.0.2:1/elsewhere")
            else:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body or b"")

        def handle(self):
            try:
                super().handle()
            except ConnectionError:
                pass  # curl had enough

        def log_message(self, *_):
            pass

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=served.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}", paths
    over.set()
    served.shutdown()
    thread.join()
    served.server_close()
