"""Provides silent and slow TCP servers, which run on threads of the story."""

import contextlib
import socket
import threading
import time


class SilentServer:
    """Accepts TCP connections, sends `banner` and then nothing more."""

    def __init__(self, banner=b"", port=0):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port))
        self.listener.listen(50)
        self.port = self.listener.getsockname()[1]
        self.banner, self.taken = banner, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.taken.append(connection)
                connection.sendall(self.banner)

    def stop(self):
        for open_socket in (self.listener, *self.taken):
            with contextlib.suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()


class SlowServer(SilentServer):
    """Forwards connections to another port. Every byte arrives `delay` seconds later, and at most
    `rate` bytes per second are forwarded to that port."""

    def __init__(self, to_port, delay, rate):
        self.to_port, self.delay, self.rate = to_port, delay, rate
        super().__init__()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                remote = socket.create_connection(("127.0.0.1", self.to_port))
                self.taken += [near, remote]
                for source, target, rate in ((near, remote, self.rate), (remote, near, 1e9)):
                    threading.Thread(target=self.carry, args=(source, target, rate), daemon=True).start()

    def carry(self, source, target, rate):
        on_its_way, more = [], threading.Condition()

        def deliver():
            with contextlib.suppress(OSError):
                while True:
                    with more:
                        while not on_its_way:
                            more.wait()
                        due, piece = on_its_way.pop(0)
                    time.sleep(max(0, due - time.monotonic()))
                    if not piece:
                        return target.shutdown(socket.SHUT_WR)
                    target.sendall(piece)

        threading.Thread(target=deliver, daemon=True).start()
        with contextlib.suppress(OSError):
            while True:
                piece = source.recv(65536)
                with more:
                    on_its_way.append((time.monotonic() + self.delay, piece))
                    more.notify()
                if not piece:
                    return
                time.sleep(len(piece) / rate)
