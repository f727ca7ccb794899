"""What the scenarios of run_oracle expect: rows of a table by key, kept in Python."""


class Failure(Exception):
    """What a replay or scenario found wrong."""


def upsert(model, rows):
    """Puts rows into a table keyed by their first value; a row led by -D deletes its key."""
    for row in rows:
        if row[0] == "-D":
            model.pop(row[1], None)
        else:
            model[row[0]] = row


def key_rows(model):
    return [model[key] for key in sorted(model)]
