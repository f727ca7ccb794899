"""Steps of scripts (see tests/oracle/paimon/README.md) as Flink SQL, so that `braid sql` can play golden cases again.

What SQL cannot say (rows of other kinds than +I, ragged CHAR values, MULTISET, commit users …) raises NoSql; another
engine then plays the step.
"""

import json
import re


class NoSql(Exception):
    """The step has no form in SQL, and why."""


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def identifier(name):
    return "`" + name.replace("`", "``") + "`"


def table_name(step):
    database, table = step["table"].split(".", 1)
    branch = f"$branch_{step['branch']}" if "branch" in step else ""
    return f"{identifier(database)}.{identifier(table + branch)}"


def properties(options):
    return ", ".join(f"{quoted(key)} = {quoted(str(value))}" for key, value in options.items())


# Types, as schema files hold them.


def type_sql(kind):
    """The type for a CAST: nullable outside. SQL has no BLOBs but as columns, which take bytes."""
    if isinstance(kind, str):
        return "BYTES" if kind == "BLOB" else kind.removesuffix(" NOT NULL")
    name = kind["type"].removesuffix(" NOT NULL")
    if name == "ROW":
        fields = ", ".join(f"{identifier(field['name'])} {inner_type_sql(field['type'])}" for field in kind["fields"])
        return f"ROW<{fields}>"
    if name == "ARRAY":
        return f"ARRAY<{inner_type_sql(kind['element'])}>"
    if name == "MAP":
        return f"MAP<{inner_type_sql(kind['key'])}, {inner_type_sql(kind['value'])}>"
    raise NoSql(f"type {name}")


def inner_type_sql(kind):
    text = type_sql(kind)
    written = kind if isinstance(kind, str) else kind["type"]
    return text + (" NOT NULL" if written.endswith(" NOT NULL") else "")


def literal(value, kind):
    """An expression of that type and value."""
    if value is None:
        return f"CAST(NULL AS {type_sql(kind)})"
    if isinstance(kind, str):
        return atom(value, kind.removesuffix(" NOT NULL"))
    name = kind["type"].removesuffix(" NOT NULL")
    if name == "ARRAY":
        return array([literal(item, kind["element"]) for item in value], kind["element"])
    if name == "MAP":
        pairs = list(value.items()) if isinstance(value, dict) else value
        if pairs:
            parts = [literal(part, kind[side]) for pair in pairs for part, side in zip(pair, ("key", "value"))]
            return f"MAP[{', '.join(parts)}]"
        return f"MAP_FROM_ARRAYS({array([], kind['key'])}, {array([], kind['value'])})"
    if name == "ROW":
        values = [value.get(field["name"]) for field in kind["fields"]] if isinstance(value, dict) else value
        items = ", ".join(literal(item, field["type"]) for item, field in zip(values, kind["fields"]))
        return f"CAST(ROW({items}) AS {type_sql(kind)})"
    raise NoSql(f"type {name}")


def array(items, kind):
    if items:
        return f"ARRAY[{', '.join(items)}]"
    # Flink has no literal for an array without elements.
    one = f"CAST(NULL AS {type_sql(kind)})"
    return f"ARRAY_REMOVE(ARRAY[{one}], {one})"


def atom(value, kind):
    base = re.match(r"\w+", kind).group()
    length = re.search(r"\((\d+)", kind)
    if base == "BOOLEAN":
        return "TRUE" if value else "FALSE"
    if base in ("CHAR", "BINARY"):
        size = len(value) if base == "CHAR" else len(value) // 2
        # Rows of VALUES whose texts differ in length have a VARCHAR, which a CHAR column does not take.
        if size != int(length.group(1)):
            raise NoSql(f"{kind} of another length")
        return f"CAST({quoted(value) if base == 'CHAR' else f'x{quoted(value)}'} AS {kind})"
    if base in ("VARCHAR", "STRING"):
        return f"CAST({quoted(value)} AS STRING)"
    if base in ("VARBINARY", "BYTES", "BLOB"):
        if not isinstance(value, str):
            raise NoSql("bytes of a sketch")
        return f"CAST(x{quoted(value)} AS BYTES)"
    if base in ("FLOAT", "DOUBLE") and isinstance(value, str) and value.startswith("0x"):
        raise NoSql("bits of a number")
    if base.startswith("TIMESTAMP"):
        if base == "TIMESTAMP_LTZ" or kind.endswith("WITH LOCAL TIME ZONE"):
            precision = length.group(1)
            if int(precision) > 6:
                raise NoSql("microseconds with local time zone")
            return f"CAST(CAST({quoted(value.removesuffix('Z').replace('T', ' '))} AS TIMESTAMP({precision})) AS {kind})"
        if int(length.group(1)) > 6 and not 1678 <= int(value.split("-")[0] or 0) <= 2261:
            raise NoSql("nanoseconds in 64 bits")
        value = value.replace("T", " ")
    if base in ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIME", "TIMESTAMP"):
        return f"CAST({quoted(str(value))} AS {kind})"
    raise NoSql(f"type {kind}")


# Steps.


def expand(generate):
    """The rows of a `generate`."""

    def fill(value, i):
        if not isinstance(value, str):
            return value
        whole = re.fullmatch(r"\{i(?:%(\d+))?\}", value)
        if whole:
            return i % int(whole.group(1)) if whole.group(1) else i
        return re.sub(r"\{i(?:%(\d+))?\}", lambda m: str(i % int(m.group(1)) if m.group(1) else i), value)

    start = generate.get("from", 0)
    return [[fill(value, i) for value in generate["row"]] for i in range(start, start + generate["count"])]


def create_table(step):
    columns = []
    for column in step["columns"]:
        if isinstance(column, list):
            column = dict(zip(("name", "type"), column))
        text = f"{identifier(column['name'])} {declared(column['type'])}"
        if "default" in column:
            text += f" DEFAULT {quoted(column['default'])}"
        if "comment" in column:
            text += f" COMMENT {quoted(column['comment'])}"
        columns.append(text)
    if "primary_key" in step:
        columns.append(f"PRIMARY KEY ({', '.join(map(identifier, step['primary_key']))}) NOT ENFORCED")
    text = f"CREATE TABLE {table_name(step)} ({', '.join(columns)})"
    if "comment" in step:
        text += f" COMMENT {quoted(step['comment'])}"
    if "partition_by" in step:
        text += f" PARTITIONED BY ({', '.join(map(identifier, step['partition_by']))})"
    if step.get("options"):
        text += f" WITH ({properties(step['options'])})"
    return [f"CREATE DATABASE IF NOT EXISTS {identifier(step['table'].split('.')[0])}", text]


def place_of(change):
    if change.get("first"):
        return " FIRST"
    if "after" in change:
        return f" AFTER {identifier(change['after'])}"
    if "before" in change:
        raise NoSql("a column's place before another")
    return ""


def declared(kind):
    """A type as a column is declared with; Flink's SQL knows TIME to the second alone."""
    if re.search(r"TIME\([1-9]\)", kind.replace("TIMESTAMP", "")):
        raise NoSql(kind)
    return kind


def path_of(column):
    return ".".join(map(identifier, column if isinstance(column, list) else [column]))


def field_of(fields, column):
    found = [field for field in fields if field["name"] == column]
    if not found:
        raise NoSql("a field inside a column")
    return found[0]


def alter(change, fields):
    """The text behind ALTER TABLE t."""
    kind, column = change["change"], change.get("column")
    if kind == "add":
        comment = f" COMMENT {quoted(change['comment'])}" if "comment" in change else ""
        return f"ADD ({path_of(column)} {declared(change['type'])}{comment}{place_of(change)})"
    if kind == "drop":
        return f"DROP ({path_of(column)})"
    if kind == "rename":
        return f"RENAME {path_of(column)} TO {identifier(change['to'])}"
    if kind == "type" and not isinstance(column, list):
        field = field_of(fields, column)
        # MODIFY sets everything anew.
        if change.get("keep_nullability", True) and str(field["type"]).endswith(" NOT NULL"):
            raise NoSql("a type alone of a column that is NOT NULL")
        comment = f" COMMENT {quoted(field['description'])}" if "description" in field else ""
        return f"MODIFY {identifier(column)} {declared(change['type'])}{comment}"
    if kind == "set_option":
        return f"SET ({properties({change['key']: change['value']})})"
    if kind == "remove_option":
        return f"RESET ({quoted(change['key'])})"
    raise NoSql(f"the change {kind}")


def write(step, fields, partition_keys):
    strange = set(step) - {"op", "table", "branch", "options", "rows", "generate", "overwrite"}
    if strange:
        raise NoSql(f"a write with {', '.join(sorted(strange))}")
    rows = step["rows"] if "rows" in step else expand(step["generate"])
    names, types = [field["name"] for field in fields], [field["type"] for field in fields]
    if any(len(row) != len(fields) for row in rows):
        raise NoSql("rows with a kind, or of some columns")
    overwrite = step.get("overwrite")
    if not rows and overwrite is None:
        raise NoSql("a commit without rows")
    if overwrite == {} and not rows and partition_keys:
        raise NoSql("a dynamic overwrite without rows")
    fixed = overwrite or {}
    kept = [i for i, name in enumerate(names) if name not in fixed]
    lines = ["(" + ", ".join(literal(row[i], types[i]) for i in kept) + ")" for row in rows]
    target = table_name(step)
    if step.get("options"):
        target += f" /*+ OPTIONS({properties(step['options'])}) */"
    if fixed:
        target += f" PARTITION ({', '.join(f'{identifier(k)} = {quoted(str(v))}' for k, v in fixed.items())})"
    verb = "INTO" if overwrite is None else "OVERWRITE"
    if lines:
        return [f"INSERT {verb} {target} VALUES " + ",\n".join(lines)]
    nothing = "(" + ", ".join(literal(None, types[i]) for i in kept) + ")"
    return [f"INSERT {verb} {target} SELECT * FROM (VALUES {nothing}) WHERE FALSE"]


def statements(step, fields, partition_keys):
    """Statements that do what the step does. `fields` are those of the table's latest schema, None before it exists."""
    if "expect_error" in step:
        raise NoSql("a step that must fail")
    op = step["op"]
    if op == "create_database":
        return [f"CREATE DATABASE IF NOT EXISTS {identifier(step['database'])}"]
    if op == "create_table":
        return create_table(step)
    if op == "drop_table":
        return [f"DROP TABLE {table_name(step)}"]
    if op == "alter_table":
        return [f"ALTER TABLE {table_name(step)} {alter(change, fields)}" for change in step["changes"]]
    if op == "write":
        return write(step, fields, partition_keys)
    if op == "truncate_table":
        return [f"TRUNCATE TABLE {table_name(step)}"]
    if op == "drop_partition":
        types = {field["name"]: field["type"] for field in fields}
        for partition in step["partitions"]:
            if any(value is None for value in partition.values()):
                raise NoSql("a partition of NULL")
        specs = [
            ", ".join(f"{identifier(k)} = {literal(v, types[k])}" for k, v in partition.items())
            for partition in step["partitions"]
        ]
        return [f"ALTER TABLE {table_name(step)} DROP " + ", ".join(f"PARTITION ({spec})" for spec in specs)]
    if op == "compact":
        name = step["table"] + (f"$branch_{step['branch']}" if "branch" in step else "")
        strategy = "full" if step.get("full", True) else "minor"
        return [f"CALL sys.compact(`table` => {quoted(name)}, compact_strategy => '{strategy}')"]
    raise NoSql(f"the step {op}")


def latest_schema(warehouse, step):
    """Fields and partition columns of the table's latest schema file, or None."""
    database, table = step["table"].split(".", 1)
    folder = warehouse / f"{database}.db" / table
    if "branch" in step:
        folder = folder / "branch" / f"branch-{step['branch']}"
    files = sorted((folder / "schema").glob("schema-*"), key=lambda path: int(path.name.split("-")[1]))
    if not files:
        return None, []
    schema = json.loads(files[-1].read_text())
    return schema["fields"], schema["partitionKeys"]
