"""The program under test, the tables that it is given, and the cases."""

import json
import os
import re
import subprocess

INVALID, NOT_FOUND, EXISTS, CONFLICT, UNKNOWN, CORRUPT, STORAGE, UNAVAILABLE, UNSUPPORTED, PERMISSION = range(2, 12)

# What a message must never hold: names of types, exceptions and messages of libraries alone.
FOREIGN = re.compile(r"terminate called|std::|what\(\)|Arrow|parquet::|orc::|(?<!state\.)duckdb|DuckDB|INTERNAL Error|SQLite error|nlohmann|CLI::|\[json")

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufffd]")

ROWS = [[k, f"p{k % 2}", f"v{k}"] for k in range(1, 9)]
LOG_ROWS = [[i, f"line {i}"] for i in range(1, 7)]
MAKE = """
CREATE DATABASE d;
CREATE TABLE d.t (k INT, p STRING, v STRING, PRIMARY KEY (p, k) NOT ENFORCED) PARTITIONED BY (p);
CREATE TABLE d.log (id INT, text STRING);
INSERT INTO d.t VALUES (1, 'p1', 'v1'), (2, 'p0', 'v2'), (3, 'p1', 'v3'), (4, 'p0', 'v4'), (5, 'p1', 'old');
INSERT INTO d.t VALUES (5, 'p1', 'v5'), (6, 'p0', 'v6'), (7, 'p1', 'v7'), (8, 'p0', 'v8');
INSERT INTO d.log VALUES (1, 'line 1'), (2, 'line 2'), (3, 'line 3');
INSERT INTO d.log VALUES (4, 'line 4'), (5, 'line 5'), (6, 'line 6');
"""


class Failure(Exception):
    """What a case found wrong."""


class Skip(Exception):
    """Why a case cannot run here."""


class Program:
    """The program under test, run in a folder that holds a copy of the tables."""

    def __init__(self, braid, folder, prefix=()):
        self.braid = braid
        self.folder = folder
        self.prefix = prefix  # a program that runs it
        self.warehouse = folder / "warehouse"

    def run(self, *words, text=None, **more):
        environment = {**os.environ, "TZ": "UTC", "HOME": str(self.folder), "TMPDIR": str(self.folder / "tmp")}
        (self.folder / "tmp").mkdir(exist_ok=True)
        try:
            return subprocess.run(
                [*self.prefix, str(self.braid), *map(str, words)], input=text, capture_output=True, text=True, errors="replace", timeout=120,
                env=environment, **{"cwd": self.folder, **more},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise Failure(f"braid {' '.join(map(str, words))} does not end")

    def sql(self, *statements, **more):
        setting = "SET 'execution.runtime-mode' = 'batch'"
        return self.run("sql", "--no-init", "--warehouse", self.warehouse, "-e", "; ".join((setting, *statements)), **more)

    def rows(self, table):
        """The rows by value, sorted. Raises Failure if the table cannot be read."""
        run = self.run("read", self.warehouse, table)
        if run.returncode:
            raise Failure(f"{table} cannot be read afterwards: {run.stderr.strip()}")
        return sorted(list(json.loads(line)["row"].values()) for line in run.stdout.splitlines())

    def files(self):
        """Every file below the warehouse with its content."""
        return {path: path.read_bytes() for path in sorted(self.warehouse.rglob("*")) if path.is_file()}

    def check(self, run, code, *words):
        """The run must have failed so, with an error of our own."""
        shown = f"exit code {run.returncode}, {run.stderr.strip()[:500]!r}"
        codes = code if isinstance(code, tuple) else (code,)
        if run.returncode not in codes:
            raise Failure(f"expected exit code {' or '.join(map(str, codes))}: {shown}")
        if run.returncode and not run.stderr.startswith("error: ") and "\nerror: " not in run.stderr:
            raise Failure(f"no error is printed: {shown}")
        for word in words:
            if word.lower() not in run.stderr.lower():
                raise Failure(f"expected the message to hold {word!r}: {shown}")
        if CONTROL.search(run.stderr):
            raise Failure(f"the message holds control characters: {shown}")
        foreign = FOREIGN.search(run.stderr)
        if foreign:
            raise Failure(f"the message holds {foreign.group()!r}: {shown}")

    def check_whole(self, t=(ROWS,), log=(LOG_ROWS,)):
        """Both tables must show one of these contents."""
        for table, contents in (("d.t", t), ("d.log", log)):
            read = self.rows(table)
            if read not in [sorted(content) for content in contents]:
                raise Failure(f"{table} holds {read}")


CASES = {}


def case(function):
    CASES[function.__name__.replace("_", " ")] = function
    return function
