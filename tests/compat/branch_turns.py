"""Random turns: Braid and Java write, tag, branch, merge, replace, compact, expire and clean in any order, and after every
step each line and tag must read as a model says, by both.

What is not safe from Java, and said so in docs/branches.md, is told by the files of the table and left out of the model: a
tag that lies inside a history which two lines share, once Java has expired or deleted it on one of them; a branch that
Java made and nobody adopted, which has no guard tags, once Java's upkeep of its parent has taken its fork point; and what
only tags of a branch hold, once Java has expired that branch, since it looks at the tags of main alone there."""

import json
import random

from branch_lines import Lines, assert_equal
from row_model import Failure

MAX_BRANCHES, MAX_TAGS = 4, 5


class Turns:
    def __init__(self, warehouse, seed):
        self.random = random.Random(seed)
        self.lines = Lines(warehouse)
        self.commits = {"main": []}  # numbers of the writes that a line has, in order
        self.histories = {"main": {}}  # each snapshot that a line has or had: id → name of its delta list
        self.unguarded = set()  # branches of Java's that nobody adopted
        self.counter = 0
        self.done = {}  # how often each step did something
        self.given_up = 0
        for _ in range(3):
            self.write("main")
        self.remember()

    # Choosing.

    def engine(self):
        return self.random.choice(["braid", "java"])

    def any_line(self):
        return self.random.choice(sorted(self.lines.rows))

    def any_branch(self):
        names = sorted(name for name in self.lines.rows if name != "main")
        return self.random.choice(names) if names else None

    def new_name(self):
        """Few names, so that they come again."""
        free = [name for name in "abcdefg" if name not in self.lines.line_names()]
        return self.random.choice(free)

    def visible(self):
        return [name for name in self.lines.rows if not name.startswith("retired-")]

    # Steps. Each returns whether it did anything.

    def write(self, line=None):
        line = line or self.random.choice(sorted(self.visible()))
        self.counter += 1
        keys = self.random.sample(range(12), 4)
        self.lines.write(self.engine(), {k: f"{self.counter}-{k}" for k in keys}, line)
        self.commits[line].append(self.counter)
        return True

    def compact(self):
        self.lines.step(self.engine(), "compact", self.random.choice(sorted(self.visible())))
        return True

    def tag(self):
        if len(self.lines.tags) >= MAX_TAGS:
            return False
        self.counter += 1
        self.lines.tag(self.engine(), f"t{self.counter}", line := self.any_line())
        self.commits[line, f"t{self.counter}"] = list(self.commits[line])
        return True

    def delete_tag(self):
        if not self.lines.tags:
            return False
        line, tag = self.random.choice(sorted(self.lines.tags))
        engine = self.engine()
        self.lines.delete_tag(engine, tag, line)
        if engine == "java":
            self.give_up_what_java_may_take(line)
        return True

    def create(self):
        if len(self.visible()) > MAX_BRANCHES:
            return False
        name, line, lines = self.new_name(), self.any_line(), self.lines
        tags = sorted(tag for owner, tag in lines.tags if owner == line)
        if tags and self.random.random() < 0.6:
            tag = self.random.choice(tags)
            if line == "main" and self.random.random() < 0.4 and self.has_snapshot_of(tag):
                lines.step("java", "create_branch", name=name, tag=tag)
                self.unguarded.add(name)
            else:
                lines.branch("create", name, "--tag", tag, "--from-branch", line, "--replace-alias")
            lines.rows[name] = dict(lines.tags[line, tag])
            lines.tags[name, tag] = dict(lines.tags[line, tag])
            self.commits[name, tag] = self.commits[line, tag]
            self.commits[name] = list(self.commits[line, tag])
        else:
            lines.branch("create", name, "--snapshot", "latest", "--from-branch", line, "--replace-alias")
            lines.rows[name] = dict(lines.rows[line])
            self.commits[name] = list(self.commits[line])
        self.histories[name] = {}
        return True

    def has_snapshot_of(self, tag):
        """Java makes no branch from a tag of main whose snapshot has expired."""
        id = json.loads((self.lines.folder / f"tag/tag-{tag}").read_text())["id"]
        return (self.lines.folder / f"snapshot/snapshot-{id}").exists()

    def forget(self, line):
        del self.lines.rows[line], self.commits[line], self.histories[line]
        for owner, tag in [key for key in self.lines.tags if key[0] == line]:
            del self.lines.tags[owner, tag], self.commits[owner, tag]
        self.unguarded.discard(line)

    def delete(self):
        name = self.any_branch()
        if name is None or self.random.random() < 0.5:
            return False
        if self.random.random() < 0.8:
            self.lines.branch("delete", name, "--force")
        else:
            self.lines.step("java", "delete_branch", name=name)
        self.forget(name)
        return True

    def rename(self):
        name, to = self.any_branch(), self.new_name()
        if name is None:
            return False
        if self.random.random() < 0.6 or name.startswith("retired-"):
            self.lines.branch("rename", name, to)
        else:
            self.lines.step("java", "rename_branch", name=name, to=to)
        self.call(name, to)
        return True

    def call(self, name, to):
        """A line has another name."""
        lines = self.lines
        lines.rows[to], self.commits[to], self.histories[to] = (
            lines.rows.pop(name), self.commits.pop(name), self.histories.pop(name)
        )
        for owner, tag in [key for key in lines.tags if key[0] == name]:
            lines.tags[to, tag] = lines.tags.pop((owner, tag))
            self.commits[to, tag] = self.commits.pop((owner, tag))
        if name in self.unguarded:
            self.unguarded.remove(name)
            self.unguarded.add(to)

    def adopt(self):
        names = sorted(self.unguarded & set(self.lines.rows))
        if not names:
            return False
        name = self.random.choice(names)
        if self.refused("adopt", name):
            return False
        self.unguarded.remove(name)
        return True

    def refused(self, *words):
        """Runs a command that may be refused; then nothing must have changed, which the check after the step finds."""
        try:
            self.lines.branch(*words)
        except Failure as failure:
            if "internal" in str(failure).lower() or "corrupt" in str(failure).lower():
                raise
            return True
        return False

    def merge(self):
        source = self.any_branch()
        if source is None:
            return False
        target = "main" if self.random.random() < 0.7 else self.any_line()
        if self.random.random() < 0.2:
            source, target = target, source
        if source == target or target == "main" and source == "main":
            return False
        before = self.lines.snapshots(target)
        tags = self.lines.tag_files(target)
        if self.refused("merge", source, "--target", target, "--tags", "skip"):
            return False
        lines = self.lines
        if lines.snapshots(target) == before:
            return False
        if self.commits[source][: len(self.commits[target])] != self.commits[target]:
            raise Failure(f"{source} was merged into {target}, although that had commits of its own")
        lines.rows[target], self.commits[target] = dict(lines.rows[source]), list(self.commits[source])
        for tag in lines.tag_files(target):
            if tag not in tags and (source, tag) in lines.tags:
                lines.tags[target, tag] = dict(lines.tags[source, tag])
                self.commits[target, tag] = self.commits[source, tag]
        return True

    def replace(self):
        name = self.any_branch()
        if name is None or self.random.random() < 0.4:
            return False
        hidden = self.random.random() < 0.5
        former = self.new_name()
        kept = ["--drop-tags"] if hidden else ["--keep-as", former]
        if self.refused("replace-main", name, "--tags", "branch", *kept):
            return False
        if hidden:
            known = set(self.lines.rows)
            former = next(line for line in self.lines.names("--all") if line not in known)
        self.exchange(name, former)
        return True

    def undo(self):
        if not any(name.startswith("retired-") for name in self.lines.rows):
            return False
        there = set(self.lines.line_names())
        if self.refused("replace-main", "--undo"):
            return False
        now = set(self.lines.line_names())
        (back,), (former,) = there - now, now - there
        self.exchange(back, former)
        return True

    def exchange(self, name, former):
        lines = self.lines
        mains = {tag: (held, self.commits["main", tag]) for (line, tag), held in lines.tags.items() if line == "main"}
        own = {tag for line, tag in lines.tags if line == name}
        self.call("main", former)
        self.call(name, "main")
        fork = max((n for n, delta in self.histories[former].items() if self.histories["main"].get(n) == delta), default=0)
        for tag, (number, _) in lines.tag_files("main").items():
            if tag in mains and tag not in own and number <= fork:
                lines.tags["main", tag], self.commits["main", tag] = mains[tag]

    def expire(self):
        line, engine = self.random.choice(sorted(self.visible())), self.engine()
        self.lines.step(engine, "expire_snapshots", line, retain_max=self.random.randint(1, 3))
        if engine == "java":
            self.give_up_what_java_may_take(line, "main")
        return True

    def clean(self):
        self.lines.step(self.engine(), "remove_orphans")
        return True

    # What Java may take.

    def remember(self):
        for line in self.lines.rows:
            self.histories[line].update(dict(self.lines.snapshots(line)))
            for number, delta in self.lines.tag_files(line).values():
                self.histories[line].setdefault(number, delta)

    def give_up_what_java_may_take(self, line, tags_of=None):
        """Java takes a snapshot of a line that neither it nor a tag that it looks at holds; another line, or a tag that it
        does not look at, may still have it."""
        lines = self.lines
        own = self.histories[line]
        held = set(lines.snapshots(line)) | set(lines.tag_files(tags_of or line).values())
        for other in list(lines.rows):
            theirs = self.histories[other]
            shared = sorted(number for number, delta in theirs.items() if own.get(number) == delta)

            def is_taken(snapshot, shared=shared, theirs=theirs):
                below = [number for number in shared if number <= snapshot[0]]
                return below and (below[-1], theirs[below[-1]]) not in held

            tags = lines.tag_files(other)
            for owner, tag in [key for key in lines.tags if key[0] == other]:
                if is_taken(tags[tag]):
                    del lines.tags[owner, tag], self.commits[owner, tag]
                    self.given_up += 1
            if other != line and is_taken(lines.snapshots(other)[-1]):
                if other not in self.unguarded and line == "main":
                    raise Failure(f"no guard tag of {line} holds what it shares with {other}")
                self.lines.branch("delete", other, "--force")
                self.forget(other)
                self.given_up += 1

    STEPS = {
        "write": 6, "compact": 2, "tag": 2, "delete_tag": 1.2, "create": 2.5, "delete": 1, "rename": 0.7, "adopt": 1,
        "merge": 1.5, "replace": 1.5, "undo": 0.7, "expire": 2.5, "clean": 1,
    }

    def turn(self):
        names = list(self.STEPS)
        name = self.random.choices(names, [self.STEPS[name] for name in names])[0]
        self.last = name
        if getattr(self, name)():
            self.done[name] = self.done.get(name, 0) + 1
        self.remember()

    def check(self):
        self.lines.check()
        named = [name for name in self.lines.names("--all")]
        assert_equal(named, sorted(name for name in self.lines.rows if name != "main"), "branches")


def run(warehouse, seed, steps):
    turns = Turns(warehouse, seed)
    turns.last = "the beginning"
    for number in range(steps):
        try:
            turns.turn()
            turns.check()
        except Failure as failure:
            raise Failure(f"seed {seed}, step {number}, {turns.last}: {failure}") from None
    done = ", ".join(f"{count} {name}" for name, count in sorted(turns.done.items()))
    return f"{done}; {turns.given_up} given up to Java"


def numbers(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def jobs(seeds, steps):
    """Names and functions of a warehouse."""
    for seed in numbers(seeds):
        yield f"turns {seed}", lambda warehouse, seed=seed: run(warehouse, seed, steps)
