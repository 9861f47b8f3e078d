"""A server of S3 on the loopback, by moto, which can be told to be a bad one.

It prints its port and serves until its standard input ends. A GET of ``/faults/NAMES``
sets its faults: ``failing`` answers 500 to what is written, ``forgetful`` ignores
If-None-Match.
"""

import sys
from collections.abc import Callable
from typing import Any

from moto.moto_server import threaded_moto_server
from moto.moto_server.werkzeug_app import DomainDispatcherApplication

Answer = Callable[[dict[str, Any], Any], Any]
FAULTS: set[str] = set()


def with_faults(*arguments: Any, **options: Any) -> Answer:
    """Return the application of moto, with its faults."""
    app = DomainDispatcherApplication(*arguments, **options)

    def answer(environ: dict[str, Any], start: Any) -> Any:
        path = environ["PATH_INFO"]
        if path.startswith("/faults/"):
            FAULTS.clear()
            FAULTS.update(path.removeprefix("/faults/").split(","))
            start("200 OK", [("Content-Length", "0")])
            return [b""]
        is_write = environ["REQUEST_METHOD"] in {"PUT", "POST"}
        if "failing" in FAULTS and is_write:
            start("500 Internal Server Error", [("Content-Length", "0")])
            return [b""]
        if "forgetful" in FAULTS:
            environ.pop("HTTP_IF_NONE_MATCH", None)
        return app(environ, start)

    return answer


def main() -> None:
    """Serve."""
    vars(threaded_moto_server)["DomainDispatcherApplication"] = with_faults
    server = threaded_moto_server.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()
