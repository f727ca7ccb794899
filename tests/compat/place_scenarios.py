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


def scenarios():
    return {name[len("scenario_") :]: function for name, function in globals().items() if name.startswith("scenario_")}
