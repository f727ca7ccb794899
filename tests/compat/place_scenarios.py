"""Scenarios of run_oracle about where rows and files go: several writers of dynamic buckets and of keys that cross
partitions, and data files outside of the table. The rows come from a model here."""

import subprocess

from row_model import Failure, key_rows, upsert


def insert_at_once(warehouse, table, parts):
    """Several processes, each with one INSERT, at the same time."""
    processes = []
    for rows in parts:
        values = ", ".join(f"({', '.join(map(repr, row))})" for row in rows)
        script = warehouse.save_script(f"INSERT INTO {table} VALUES {values}")
        words = [warehouse.options.braid, "sql", "--no-init", "--output", "jsonl", "-f", str(script)]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    for process in processes:
        said, _ = process.communicate()
        if process.returncode != 0:
            raise Failure(f"an INSERT among several failed: {said}")


def scenario_writers_of_dynamic_buckets(warehouse):
    """Processes insert new keys at once, some of them the same; Java finds each key once, and knows its bucket."""
    table, columns, model = "d.t", ["k", "p", "v"], {}
    warehouse.sql(
        "CREATE DATABASE d",
        f"CREATE TABLE {table} (k INT, p INT, v INT, PRIMARY KEY (k, p) NOT ENFORCED) PARTITIONED BY (p) "
        "WITH ('bucket' = '-1', 'dynamic-bucket.target-row-num' = '20', 'sequence.field' = 'v', "
        "'commit.max-retries' = '100')",
    )
    for round_number in range(4):
        parts = []
        for writer in range(4):
            version = round_number * 4 + writer
            keys = range(round_number * 30 + writer * 10, round_number * 30 + writer * 10 + 40)
            parts.append([[k, k % 2, version] for k in keys])
        insert_at_once(warehouse, table, parts)
        for part in parts:
            for row in part:
                if row[0] not in model or model[row[0]][2] < row[2]:
                    model[row[0]] = row
        warehouse.expect_rows(table, columns, key_rows(model))
        # All keys once more, by the one and by the other: they go to the buckets that the index tells.
        again = [[k, p, 1000 + round_number] for k, p, _ in key_rows(model)]
        (warehouse.java if round_number % 2 else warehouse.braid)({"op": "write", "table": table, "rows": again})
        upsert(model, again)
        warehouse.expect_rows(table, columns, key_rows(model))
        model = {k: [k, p, 1000 + round_number] for k, (_, p, _) in model.items()}
    warehouse.java({"op": "compact", "table": table})
    warehouse.expect_rows(table, columns, key_rows(model))


def scenario_writers_that_share_dynamic_buckets(warehouse):
    """Numbers of writers that change from turn to turn, with Java in between, each new key in its writer's buckets."""
    table, columns, model = "d.t", ["k", "p", "v"], {}
    warehouse.braid(
        {
            "op": "create_table",
            "table": table,
            "columns": [["k", "INT NOT NULL"], ["p", "INT NOT NULL"], ["v", "STRING"]],
            "primary_key": ["k", "p"],
            "partition_by": ["p"],
            "options": {"bucket": "-1", "dynamic-bucket.target-row-num": "15"},
        }
    )
    for turn, writers in enumerate((3, 2, 5, 1, 4)):
        rows = [[k, k % 2, f"{turn} of {writers}"] for k in range(turn * 20, turn * 20 + 100)]
        warehouse.braid({"op": "write", "table": table, "rows": rows, "writers": writers})
        upsert(model, rows)
        warehouse.expect_rows(table, columns, key_rows(model))
        rows = [[k, k % 2, f"{turn} by Java"] for k in range(turn * 20 + 50, turn * 20 + 110)]
        warehouse.java({"op": "write", "table": table, "rows": rows})
        upsert(model, rows)
        warehouse.expect_rows(table, columns, key_rows(model))
    warehouse.java({"op": "compact", "table": table})
    warehouse.expect_rows(table, columns, key_rows(model))


def scenario_writers_of_crossing_keys(warehouse):
    """Processes that put the same new keys into different partitions at once."""
    table = "d.t"
    warehouse.sql(
        "CREATE DATABASE d",
        f"CREATE TABLE {table} (k INT, p INT, v INT, PRIMARY KEY (k) NOT ENFORCED) PARTITIONED BY (p) "
        "WITH ('bucket' = '-1', 'commit.max-retries' = '100')",
    )
    insert_at_once(warehouse, table, [[[k, writer, writer] for k in range(50)] for writer in range(3)])
    read = warehouse.run_braid("read", warehouse.root, table, "--projection", "k")
    if len(read) != 50 or len(set(read)) != 50:
        raise Failure(f"{len(read)} rows of 50 keys")
    rows = [[k, 7, 100] for k in range(0, 60, 2)]
    warehouse.java({"op": "write", "table": table, "rows": rows}, {"op": "compact", "table": table})
    warehouse.braid({"op": "write", "table": table, "rows": [[k, 8, 200] for k in range(1, 60, 2)]})
    model = {}
    upsert(model, rows + [[k, 8, 200] for k in range(1, 60, 2)])
    warehouse.expect_rows(table, ["k", "p", "v"], key_rows(model))


STRATEGIES = {
    "round-robin": {},
    "entropy-inject": {},
    "weight-robin": {"data-file.external-paths.weights": "1,3"},
    "specific-fs": {"data-file.external-paths.specific-fs": "FILE"},
}
KINDS = {
    "append": {"bucket": "-1"},
    "fixed": {"bucket": "2", "changelog-producer": "input", "file-index.bloom-filter.columns": "v",
              "file-index.in-manifest-threshold": "1 b"},
    "dynamic": {"bucket": "-1", "dynamic-bucket.target-row-num": "10", "index-file-in-data-file-dir": "true"},
    "vectors": {"bucket": "2", "deletion-vectors.enabled": "true", "index-file-in-data-file-dir": "true"},
}


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def scenario_external_paths(warehouse):
    """Files outside of the table by every strategy: both write, compact, expire and read them in turns."""
    warehouse.sql("CREATE DATABASE d")
    for strategy, more in STRATEGIES.items():
        for kind, options in KINDS.items():
            name = f"{kind}_{strategy.replace('-', '_')}"
            table = f"d.{name}"
            roots = [warehouse.folder / "outside" / name / root for root in ("a", "b")]
            key = {} if kind == "append" else {"primary_key": ["k", "p"]}
            warehouse.braid(
                {
                    "op": "create_table",
                    "table": table,
                    "columns": [["k", "INT NOT NULL"], ["p", "STRING NOT NULL"], ["v", "STRING"]],
                    "partition_by": ["p"],
                    **key,
                    "options": {
                        **options,
                        **more,
                        "compaction.min.file-num": "2",
                        "data-file.external-paths": ",".join(f"file://{root}" for root in roots),
                        "data-file.external-paths.strategy": strategy,
                    },
                }
            )
            model, count = {}, 0
            for turn in range(6):
                rows = [[k if key else count + k, "p%d" % (k % 2), f"{turn}"] for k in range(turn, turn + 12)]
                count += 100
                engine = warehouse.java if turn % 2 else warehouse.braid
                engine({"op": "write", "table": table, "rows": rows})
                upsert(model, rows)
                if turn % 3 == 2:
                    other = warehouse.braid if turn % 2 else warehouse.java
                    other({"op": "compact", "table": table})
                warehouse.expect_rows(table, ["k", "p", "v"], key_rows(model))
            inside = [path for path in files_below(warehouse.root / "d.db" / name) if path.parent.name.startswith("bucket-")]
            if inside:
                raise Failure(f"{table} has files inside of the table: {inside[:3]}")
            written = files_below(roots[0].parent)
            warehouse.run_braid("table", "check", warehouse.root, table)
            # What expiry leaves is what the newest snapshot names; the rest is gone from outside, too.
            warehouse.braid({"op": "compact", "table": table})
            warehouse.run_braid("table", "expire", warehouse.root, table, "--retain-max", "1", "--retain-min", "1")
            left = files_below(roots[0].parent)
            if len(left) >= len(written):
                raise Failure(f"{table}: {len(left)} files outside after expiry, {len(written)} before")
            warehouse.run_braid("table", "check", warehouse.root, table)
            warehouse.expect_rows(table, ["k", "p", "v"], key_rows(model))
            warehouse.java({"op": "expire_snapshots", "table": table, "retain_max": 1})
            warehouse.expect_rows(table, ["k", "p", "v"], key_rows(model))


def scenarios():
    return {name[len("scenario_") :]: function for name, function in globals().items() if name.startswith("scenario_")}
