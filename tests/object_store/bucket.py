"""A warehouse in a bucket of the test server, and what the scenarios of run_s3 share."""

import collections
import json
import os
import subprocess
import time

import server as store

NOT_FOUND, CONFLICT, UNKNOWN, DAMAGED, UNAVAILABLE, UNSUPPORTED, DENIED = 3, 5, 6, 7, 9, 10, 11


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


BUCKET = "tests"  # one, since each takes volumes of the server


class Braid:
    """Runs braid against one warehouse."""

    def __init__(self, program, server, name, folder, every=1):
        self.program, self.server, self.name, self.folder, self.every = program, server, name, folder, every
        self.warehouse = f"s3://{BUCKET}/{name}"
        self.state = os.path.join(folder, "state")
        self.endpoint = server.endpoint

    # What lies in the warehouse, by the server's own filer.
    def list(self, folder):
        return self.server.list(BUCKET, f"{self.name}/{folder}")

    def files(self, folder):
        return self.server.files(BUCKET, f"{self.name}/{folder}")

    def get(self, path):
        return self.server.get(BUCKET, f"{self.name}/{path}")

    def put(self, path, content):
        self.server.put(BUCKET, f"{self.name}/{path}", content)

    def delete(self, path):
        self.server.call("DELETE", f"/buckets/{BUCKET}/{self.name}/{path}")

    def environment(self, **changes):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        environment |= {"AWS_ENDPOINT_URL": self.endpoint, "AWS_ACCESS_KEY_ID": store.ACCESS_KEY, "AWS_REGION": "us-east-1",
                        "AWS_SECRET_ACCESS_KEY": store.SECRET_KEY, "AWS_EC2_METADATA_DISABLED": "true", "TZ": "UTC",
                        "HOME": self.folder, "XDG_STATE_HOME": self.state, "XDG_RUNTIME_DIR": self.folder}
        return environment | changes

    def attempt(self, *arguments, **environment):
        """Whatever the exit code."""
        done = subprocess.run([self.program, *arguments], env=self.environment(**environment), capture_output=True,
                              text=True, timeout=180)
        expect(store.SECRET_KEY not in done.stdout + done.stderr, f"braid {' '.join(arguments)[:400]} shows the secret key")
        return done

    def run(self, *arguments, code=0, **environment):
        done = self.attempt(*arguments, **environment)
        shown = " ".join(arguments)[:400]
        expect(done.returncode == code, f"braid {shown}: exit code {done.returncode} instead of {code}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
        return done

    def catalog(self, warehouse=None, **options):
        settings = {"type": "paimon", "warehouse": warehouse or self.warehouse} | options
        return "CREATE CATALOG c WITH (" + ", ".join(f"'{key}' = '{value}'" for key, value in settings.items()) + "); USE CATALOG c;"

    def sql(self, statements, code=0, mode="batch", catalog=None, environment={}):
        done = self.run("sql", "--no-init", "--state-dir", self.state, "-D", f"execution.runtime-mode={mode}", "--output", "jsonl", "-e",
                        (catalog or self.catalog()) + statements, code=code, **environment)
        return [json.loads(line) for line in done.stdout.splitlines()] if code == 0 else done.stderr

    def read(self, table, **options):
        arguments = [word for key, value in options.items() for word in ("--option", f"{key.replace('_', '-').replace('--', '.')}={value}")]
        return self.rows_of(self.run("read", self.warehouse, table, *arguments))

    @staticmethod
    def rows_of(done):
        return collections.Counter(row_text(json.loads(line)["row"]) for line in done.stdout.splitlines())

    def snapshots(self, database, table, line=""):
        names = self.list(f"{database}.db/{table}/{line}snapshot")
        return sorted(int(name.split("-")[1]) for name in names if name.startswith("snapshot-"))


def row_text(row):
    return json.dumps(list(row.values()), ensure_ascii=False)


def rows(values):
    return collections.Counter(json.dumps(list(value), ensure_ascii=False) for value in values)


def equal(got, want, what):
    expect(got == want, f"{what}: {sum((want - got).values())} rows missing, {sum((got - want).values())} unexpected: "
                        f"- {list((want - got))[:3]} + {list((got - want))[:3]}")


def insert(table, values):
    return f"INSERT INTO {table} VALUES " + ", ".join("(" + ", ".join(repr(v) if isinstance(v, str) else str(v) for v in row) + ")" for row in values) + ";"


def until(holds, seconds, what):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.3)
