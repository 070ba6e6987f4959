"""Finds every place where a rule of rules.py can plant a fault, and what each fault touches."""

import difflib
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from rules import NEVER, RULES

ROOT = Path(__file__).resolve().parents[2]
FORMULAS = ("einsum_gradient.cpp", "kernels/adam.cpp", "kernels/attention.cpp",
            "kernels/attention_tile.h", "kernels/attention_vjp.cpp", "kernels/cross_entropy.cpp",
            "kernels/layer_norm.cpp", "kernels/sgd.cpp", "kernels/softmax.cpp")
EXAMINERS = re.compile("attention_audit|position_influence")  # they examine layers and are none
SOURCES = [path for path in (
    *sorted(ROOT.glob("autograd/ops/*.cpp")), *sorted(ROOT.glob("nn/*.cpp")),
    *sorted(ROOT.glob("nn/*.h")), *(ROOT / "tensor" / name for name in FORMULAS))
    if not EXAMINERS.match(path.name)]

COMMENT_OR_STRING = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"')


@dataclass(frozen=True)
class Fault:
    id: str  # stays while the line that it changes stays
    file: str
    line: int
    rule: str
    why: str
    owner: str  # the function or class that it is in
    owner_at: int  # and where that begins
    source: str  # the whole file before
    faulty: str  # and after

    def diff(self):
        return "".join(difflib.unified_diff(
            self.source.splitlines(True), self.faulty.splitlines(True),
            "a/" + self.file, "b/" + self.file))

    def changed(self):
        """The changed lines, before and after, without what leads up to them."""
        before, after = self.source.splitlines(), self.faulty.splitlines()
        old, new = [], []
        for tag, i, j, k, l in difflib.SequenceMatcher(None, before, after, False).get_opcodes():
            if tag != "equal":
                old += before[i:j]
                new += after[k:l]
        return [line.strip() for line in old], [line.strip() for line in new if line.strip(" ;")]


def only_code(text):
    """The text with comments and the letters of strings blanked, every place where it was."""
    def blank(match):
        part = match.group()
        return " " * len(part) if part[0] == "/" else '"' + "_" * (len(part) - 2) + '"'
    return COMMENT_OR_STRING.sub(blank, text)


def filled(becomes, match, text):
    """What takes the place of the match, its groups as they stand in the source."""
    if callable(becomes):
        return becomes(match)
    def group(m):
        start, end = match.span(int(m[1] or m[2]))
        return text[start:end]
    return re.sub(r"\\(?:(\d)|g<(\d)>)", group, becomes)


def places(code, name):
    """(rule, match, replacement) wherever a rule fits."""
    for rule in RULES:
        if not re.match(rule.where, name):
            continue
        for pattern, becomes in rule.pairs:
            for match in re.finditer(pattern, code, re.M | re.S):
                yield rule, match, becomes


CLASS = r"^(?:class|struct) (\w+)"
FUNCTION = (r"^(?!namespace|template|using|class|struct|return)(?=\w)[^\n=;]*?"
            r"((?:\w+::)*(?:operator ?(?:\(\)|[-+*/])|\w+))\((?!\w+\))")
END_OF_NAMESPACE = r"^()\} +// namespace"


def definitions(path, text):
    """(place, name) of what is defined at the left margin, by place; '' where a namespace ends."""
    patterns = (CLASS, r"^()\}") if path.endswith(".h") else (CLASS, FUNCTION, END_OF_NAMESPACE)
    return sorted((match.start(), match[1]) for pattern in patterns
                  for match in re.finditer(pattern, text, re.M))


def owner_at(defined, place):
    return max((d for d in defined if d[0] <= place), default=(0, ""))


def faults_of(path):
    text = path.read_text(encoding="utf-8")
    code, name = only_code(text), str(path.relative_to(ROOT))
    defined, seen, times = definitions(name, code), set(), {}
    for rule, match, becomes in places(code, name):
        first = match.end() - len(match.group().lstrip())
        start, end = code.rfind("\n", 0, first) + 1, code.find("\n", first)
        line = code[start:end]
        if NEVER.search(line) or re.search(rule.unless, line):
            continue
        faulty = text[:match.start()] + filled(becomes, match, text) + text[match.end():]
        if faulty in seen or faulty == text:
            continue
        seen.add(faulty)
        key = (rule.name, text[start:end].strip())
        times[key] = times.get(key, 0) + 1
        digest = hashlib.sha256(repr((name, key, times[key])).encode()).hexdigest()[:5]
        yield Fault(f"{path.parent.name}/{path.stem}-{digest}", name,
                    text.count("\n", 0, first) + 1, rule.name, rule.why,
                    *reversed(owner_at(defined, first)), text, faulty)


def all_faults():
    found = [fault for path in SOURCES for fault in faults_of(path)]
    found.sort(key=lambda fault: (fault.file, fault.line))
    assert len({fault.id for fault in found}) == len(found), "two faults share an id"
    return found


def declared(header):
    """What a header declares: functions and, in nn, classes and schedules."""
    text = only_code(header.read_text(encoding="utf-8"))
    functions = (r"^(?:Variable|std::vector<\w+>|SortedVariable|Attended|Tensor|void|double|"
                 r"std::string) (operator ?[-+*/]|\w+)\(")
    classes = r"^class (\w+)[^;{}]*\{|^struct (\w+Schedule) \{"
    return (set(re.findall(functions, text, re.M)),
            {a or b for a, b in re.findall(classes, text, re.M)})


def untouched(faults):
    """Ops, overload by overload, and classes of nn that no fault is in."""
    hit = {(fault.file, fault.owner_at) for fault in faults}
    missing = []
    for header in sorted(ROOT.glob("autograd/ops/*.h")) + sorted(ROOT.glob("nn/*.h")):
        if EXAMINERS.match(header.name):
            continue
        functions, classes = declared(header)
        hit_classes = set()
        for path in (header, header.with_suffix(".cpp")):
            file = str(path.relative_to(ROOT))
            text = only_code(path.read_text(encoding="utf-8")) if path.exists() else ""
            for place, name in definitions(file, text):
                first = name.split("::")[0]
                if (file, place) in hit:
                    hit_classes.add(first)
                elif first in functions and path.suffix == ".cpp":
                    missing.append(f"{file}:{text.count(chr(10), 0, place) + 1} {name}")
        missing += [f"{header.relative_to(ROOT)} {name}" for name in sorted(classes - hit_classes)]
    return missing
