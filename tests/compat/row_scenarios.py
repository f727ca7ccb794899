"""Scenarios of run_oracle about row ids, columns in files of their own, and BLOBs. The rows come from a model here."""

import json
import pathlib
import struct

from row_model import Failure


def lines(columns, rows):
    return [json.dumps({"kind": "+I", "row": dict(zip(columns, row))}) for row in rows]


def expect_tracked(warehouse, table, columns, rows):
    """`rows`: values, then row id and sequence number. Both programs read `$row_tracking`, and the rows alone."""
    warehouse.expect(f"{table}$row_tracking", lines([*columns, "_ROW_ID", "_SEQUENCE_NUMBER"], rows))
    warehouse.expect(table, lines(columns, [row[:-2] for row in rows]))


def scenario_row_ids(warehouse):
    """Rows keep their ids in changes and compactions by both programs, and new rows of both go on counting."""
    for vectors in ("false", "true"):
        name = f"d.tracked_{vectors}"
        warehouse.sql(
            "CREATE DATABASE IF NOT EXISTS d",
            f"CREATE TABLE {name} (k INT, v STRING) WITH ('row-tracking.enabled' = 'true', "
            f"'deletion-vectors.enabled' = '{vectors}', 'compaction.min.file-num' = '2')",
            f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        )
        warehouse.java({"op": "write", "table": name, "rows": [[4, "d"], [5, "e"]]})
        rows = [[1, "a", 0, 1], [2, "b", 1, 1], [3, "c", 2, 1], [4, "d", 3, 2], [5, "e", 4, 2]]
        expect_tracked(warehouse, name, ["k", "v"], rows)
        warehouse.sql(f"UPDATE {name} SET v = 'B' WHERE k = 2", f"DELETE FROM {name} WHERE k = 4")
        rows = [[1, "a", 0, 1], [2, "B", 1, 3], [3, "c", 2, 1], [5, "e", 4, 2]]
        expect_tracked(warehouse, name, ["k", "v"], rows)
        warehouse.java({"op": "compact", "table": name}, {"op": "write", "table": name, "rows": [[6, "f"]]})
        snapshots = len(list((warehouse.root / "d.db" / name[2:] / "snapshot").glob("snapshot-*")))
        rows += [[6, "f", 5, snapshots]]
        expect_tracked(warehouse, name, ["k", "v"], rows)
        warehouse.sql(
            f"CREATE TABLE {name}_s (k INT, v STRING)",
            f"INSERT INTO {name}_s VALUES (3, 'C'), (6, 'gone'), (7, 'g')",
            f"MERGE INTO {name} AS t USING {name}_s AS s ON t.k = s.k WHEN MATCHED AND s.v = 'gone' THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)",
            f"CALL sys.compact(`table` => '{name}')",
        )
        merged = snapshots + 1
        rows = [[1, "a", 0, 1], [2, "B", 1, 3], [3, "C", 2, merged], [5, "e", 4, 2], [7, "g", 6, merged]]
        expect_tracked(warehouse, name, ["k", "v"], rows)
        # Java's own reader cannot filter on row ids.
        read = warehouse.run_braid("read", warehouse.root, f"{name}$row_tracking", "--filter", "_ROW_ID > 4")
        if [json.loads(line)["row"]["k"] for line in read] != [7]:
            raise Failure(f"{name}, rows with ids above 4: {read}")


def scenario_columns_in_files_of_their_own(warehouse):
    """Java and Braid change columns of the same rows in turns, and compact them."""
    name = "d.evolving"
    warehouse.sql(
        "CREATE DATABASE IF NOT EXISTS d",
        f"CREATE TABLE {name} (k INT, a STRING, b INT) WITH ('row-tracking.enabled' = 'true', "
        "'data-evolution.enabled' = 'true', 'compaction.min.file-num' = '2')",
        f"INSERT INTO {name} VALUES (1, 'a1', 10), (2, 'a2', 20), (3, 'a3', 30)",
        f"INSERT INTO {name} VALUES (4, 'a4', 40)",
        f"UPDATE {name} SET a = UPPER(a) WHERE k <> 2",
    )
    columns = ["k", "a", "b"]
    expect_tracked(warehouse, name, columns, [[1, "A1", 10, 0, 3], [2, "a2", 20, 1, 3], [3, "A3", 30, 2, 3], [4, "A4", 40, 3, 3]])
    warehouse.java({"op": "write", "table": name, "columns": ["b"], "first_row_id": 0, "rows": [[11], [22], [None]]})
    expect_tracked(warehouse, name, columns, [[1, "A1", 11, 0, 4], [2, "a2", 22, 1, 4], [3, "A3", None, 2, 4], [4, "A4", 40, 3, 3]])
    warehouse.sql(
        f"CREATE TABLE {name}_s (k INT, b INT)",
        f"INSERT INTO {name}_s VALUES (3, 333), (5, 5)",
        f"MERGE INTO {name} AS t USING {name}_s AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET b = s.b "
        "WHEN NOT MATCHED THEN INSERT (k, b) VALUES (s.k, s.b)",
        f"ALTER TABLE {name} ADD (c DOUBLE)",
        f"UPDATE {name} SET c = k + 0.5, a = 'x' WHERE k IN (1, 5)",
    )
    columns = ["k", "a", "b", "c"]
    rows = [[1, "x", 11, 1.5, 0, 6], [2, "a2", 22, None, 1, 6], [3, "A3", 333, None, 2, 6], [4, "A4", 40, None, 3, 3], [5, "x", 5, 5.5, 4, 6]]
    expect_tracked(warehouse, name, columns, rows)
    # Of a column alone that no file of some rows has, Java leaves these rows out.
    for reading, keep in (
        (["--projection", "c,k"], lambda row: {"c": row[3], "k": row[0]}),
        (["--projection", "b"], lambda row: {"b": row[2]}),
    ):
        warehouse.expect(name, [json.dumps({"kind": "+I", "row": keep(row)}) for row in rows], reading=reading)
    warehouse.expect(name, lines(columns, [row[:-2] for row in rows if row[2] > 20]), reading=["--filter", "b > 20"])
    warehouse.java({"op": "compact", "table": name})
    warehouse.expect(name, lines(columns, [row[:-2] for row in rows]))
    warehouse.sql(f"UPDATE {name} SET b = 0 WHERE k = 4")
    rows[3][2] = 0
    warehouse.expect(name, lines(columns, [row[:-2] for row in rows]))
    warehouse.sql(f"CALL sys.compact(`table` => '{name}')")
    warehouse.java({"op": "write", "table": name, "columns": ["a"], "first_row_id": 0, "rows": [[f"j{i}"] for i in range(5)]})
    warehouse.expect(name, lines(columns, [[row[0], f"j{i}", *row[2:-2]] for i, row in enumerate(rows)]))


def scenario_blobs(warehouse):
    """BLOB columns by both programs, with files that roll."""
    name = "d.blobs"
    warehouse.sql("CREATE DATABASE IF NOT EXISTS d")
    warehouse.java(
        {
            "op": "create_table",
            "table": name,
            "columns": [["k", "INT"], ["b", "BLOB"], ["s", "STRING"], ["c", "BLOB"]],
            "options": {"row-tracking.enabled": "true", "data-evolution.enabled": "true", "blob.target-file-size": "100 b"},
        },
        {"op": "write", "table": name, "rows": [[1, "01", "one", "ff"], [2, "", "two", None]]},
    )
    rows = [[1, "01", "one", "ff"], [2, "", "two", None]]
    more = [[k, bytes(range(k)).hex(), f"s{k}", None if k % 2 else "00" * k] for k in range(3, 40)]
    values = ", ".join(
        f"({k}, x'{b}', '{s}', {'CAST(NULL AS BYTES)' if c is None else f'''x'{c}' '''})" for k, b, s, c in more
    )
    warehouse.sql(f"INSERT INTO {name} VALUES {values}")
    rows += more
    columns = ["k", "b", "s", "c"]
    warehouse.expect(name, lines(columns, rows))
    warehouse.expect(name, lines(["s", "c"], [[s, c] for _, _, s, c in rows]), reading=["--projection", "s,c"])
    warehouse.sql(f"UPDATE {name} SET s = 'changed' WHERE k < 5")
    rows = [[k, b, "changed" if k < 5 else s, c] for k, b, s, c in rows]
    warehouse.java({"op": "write", "table": name, "rows": [[100, None, "last", "0a"]]})
    rows += [[100, None, "last", "0a"]]
    warehouse.expect(name, lines(columns, rows))
    warehouse.sql(f"CALL sys.compact(`table` => '{name}')")
    warehouse.expect(name, lines(columns, rows))
    warehouse.expect(f"{name}$row_tracking", lines(["k", "_ROW_ID"], [[row[0], i] for i, row in enumerate(rows)]),
                     reading=["--projection", "k,_ROW_ID"])


def descriptor(path, offset=0, length=-1):
    """Java's BlobDescriptor of version 2, as hexadecimal digits."""
    uri = str(path).encode()
    return (b"\x02CSEDBOLB" + struct.pack("<i", len(uri)) + uri + struct.pack("<qq", offset, length)).hex()


def described_bytes(digits):
    """What the file of a descriptor holds there."""
    data = bytes.fromhex(digits)
    size = struct.unpack_from("<i", data, 9)[0]
    offset, length = struct.unpack_from("<qq", data, 13 + size)
    content = pathlib.Path(data[13 : 13 + size].decode().removeprefix("file:")).read_bytes()[offset:]
    return (content if length < 0 else content[:length]).hex()


def scenario_blob_descriptors(warehouse):
    """BLOB values told by descriptors, in data files of each format, and in files that both programs put outside."""
    media = warehouse.root / "media"
    media.mkdir(parents=True)
    (media / "a.bin").write_bytes(bytes(range(10)))
    outside = warehouse.root / "outside"
    warehouse.sql("CREATE DATABASE IF NOT EXISTS d")
    for file_format in ("parquet", "orc", "avro"):
        name = f"d.described_{file_format}"
        warehouse.java(
            {
                "op": "create_table",
                "table": name,
                "columns": [["k", "INT"], ["told", "BLOB"], ["put", "BLOB"], ["own", "BLOB"]],
                "options": {
                    "row-tracking.enabled": "true",
                    "data-evolution.enabled": "true",
                    "file.format": file_format,
                    "blob-descriptor-field": "told,put",
                    "blob-external-storage-field": "put",
                    "blob-external-storage-path": str(outside),
                    "blob.target-file-size": "40 b",
                    "compaction.min.file-num": "2",
                },
            },
            {"op": "write", "table": name, "rows": [[1, None, "0102", "ff"], [2, None, None, None], [3, None, "", "0a0b"]]},
        )
        rows = [[1, None, "0102", "ff"], [2, None, None, None], [3, None, "", "0a0b"]]
        part = descriptor(media / "a.bin", 2, 3)
        warehouse.sql(
            f"INSERT INTO {name} VALUES (4, x'{part}', x'{'77' * 30}', x'{part}'), "
            f"(5, x'{descriptor(media / 'a.bin')}', x'{part}', x'00')"
        )
        rows += [[4, "020304", "77" * 30, "020304"], [5, bytes(range(10)).hex(), "020304", "00"]]
        columns = ["k", "told", "put", "own"]
        warehouse.expect(name, lines(columns, rows))
        warehouse.sql(f"UPDATE {name} SET told = x'{descriptor(media / 'a.bin', 9)}' WHERE k = 4",
                      f"UPDATE {name} SET put = x'abcd' WHERE k < 3")
        rows[3][1] = "09"
        rows[0][2] = rows[1][2] = "abcd"
        warehouse.expect(name, lines(columns, rows))
        warehouse.expect(name, lines(["put"], [["abcd"], ["abcd"]]), reading=["--filter", "k < 3", "--projection", "put"])
        read = warehouse.run_braid("read", warehouse.root, name, "--option", "blob-as-descriptor=true")
        told = [json.loads(line)["row"] for line in read]
        for row, (key, *values) in zip(told, rows, strict=True):
            found = [None if row[column] is None else described_bytes(row[column]) for column in columns[1:]]
            if row["k"] != key or found != values:
                raise Failure(f"{name}, as descriptors: {row}")
        warehouse.sql(f"CALL sys.compact(`table` => '{name}')")
        warehouse.expect(name, lines(columns, rows))
        warehouse.java({"op": "write", "table": name, "rows": [[6, None, "66", None]]}, {"op": "compact", "table": name})
        rows += [[6, None, "66", None]]
        warehouse.expect(name, lines(columns, rows))


def scenarios():
    return {name[len("scenario_") :]: function for name, function in globals().items() if name.startswith("scenario_")}
