"""Servers that stand in for Azure's and Google's stores: Azurite (npm) and fake-gcs-server (a Go module).

    python3 tests/object_store/cloud_servers.py      # fetches and builds both, once; some minutes

Tests use them where they are there already.
"""

import base64
import email.utils
import hashlib
import hmac
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

from server import Missing, cache_folder

AZURITE, FAKE_GCS = "azurite@3", "github.com/fsouza/fake-gcs-server@v1"
# Of every Azurite, known to all.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def install():
    for name, command in (("azurite", ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(cache_folder() / "azurite"), AZURITE]),
                          ("fake-gcs-server", ["go", "install", FAKE_GCS])):
        folder = cache_folder() / name
        folder.mkdir(parents=True, exist_ok=True)
        if shutil.which(command[0]) is None:
            print(f"{name}: not installed, there is no {command[0]}")
        else:
            subprocess.run(command, env=dict(os.environ, GOBIN=str(folder)), check=False)


class Process:
    def __init__(self, command, port, log):
        self.log = open(log, "w")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        self.close()
        raise Missing(f"{command[0]} did not start: {pathlib.Path(log).read_text()[-500:]}")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gcs:
    """Holds the buckets that are folders of `data`."""

    def __init__(self, data, log):
        program = cache_folder() / "fake-gcs-server" / "fake-gcs-server"
        if not program.exists():
            raise Missing("fake-gcs-server is not there; `python3 tests/object_store/cloud_servers.py` fetches it")
        port = free_port()
        self.process = Process([str(program), "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend", "memory", "-data", str(data)], port, log)
        self.query = f"?endpoint_override=127.0.0.1:{port}&scheme=http"

    def close(self):
        self.process.close()


class Azure:
    """Holds the containers that are folders of `data`."""

    def __init__(self, data, log):
        program = cache_folder() / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
        if not program.exists() or shutil.which("node") is None:
            raise Missing("Azurite is not there; `python3 tests/object_store/cloud_servers.py` fetches it")
        port = free_port()
        self.authority = f"127.0.0.1:{port}"
        self.process = Process(["node", str(program), "--blobHost", "127.0.0.1", "--blobPort", str(port), "--inMemoryPersistence", "--silent",
                                "--skipApiVersionCheck", "--disableTelemetry"], port, log)
        for container in pathlib.Path(data).iterdir():
            self.put(f"/{container.name}", "restype=container", b"", {})
            for path in container.rglob("*"):
                if path.is_file():
                    name = urllib.request.quote(path.relative_to(data).as_posix())
                    self.put(f"/{name}", "", path.read_bytes(), {"x-ms-blob-type": "BlockBlob"})

    def put(self, path, query, content, headers):
        """A PUT, signed by the account's key as Azure describes it ("Authorize with Shared Key")."""
        headers = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-08-06"} | headers
        named = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
        resource = f"/{ACCOUNT}/{ACCOUNT}{path}" + "".join(f"\n{part.replace('=', ':')}" for part in query.split("&") if part)
        kind = "application/octet-stream"
        text = f"PUT\n\n\n{len(content) or ''}\n\n{kind}\n\n\n\n\n\n\n{named}{resource}"
        signature = base64.b64encode(hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()).decode()
        headers |= {"Content-Type": kind, "Authorization": f"SharedKey {ACCOUNT}:{signature}"}
        request = urllib.request.Request(f"http://{self.authority}/{ACCOUNT}{path}" + (f"?{query}" if query else ""), content, headers, method="PUT")
        urllib.request.urlopen(request, timeout=30).read()

    def close(self):
        self.process.close()


if __name__ == "__main__":
    install()
