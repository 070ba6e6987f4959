"""Which tests to run first for a fault in a file: those that mirror it, or include its header."""

import re

from faults import ROOT

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+), (\w+)\)", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def programs():
    """Test program -> its source files."""
    found = {}
    for cmake in sorted(ROOT.glob("tests/**/CMakeLists.txt")):
        listed = r"lectern_test\(\s*(\w+)\s+SOURCES\s+([^)]*?)\s*LINK"
        for name, sources in re.findall(listed, cmake.read_text()):
            found[name] = [cmake.parent / source for source in sources.split()]
    return found


def includes(path):
    return set(INCLUDE.findall(path.read_text(encoding="utf-8")))


def first_tests(file):
    """(program, filter for Google Test) of the tests of a source file."""
    header = file.rsplit(".", 1)[0] + ".h"
    mirror = ROOT / "tests" / (file.rsplit(".", 1)[0] + "_test.cpp")
    layer = file.split("/")[0]
    users = {f"nn/{path.name}" for path in ROOT.glob("nn/*.h") if header in includes(path)}
    for program, sources in programs().items():
        if program != f"{layer}_test":
            continue
        for chosen in ([mirror] if mirror in sources else [],
                       [s for s in sources if header in includes(s)],
                       [s for s in sources if users & includes(s)]):
            tests = [test for source in chosen
                     for test in TEST.findall(source.read_text(encoding="utf-8"))]
            if tests:
                return program, ":".join(f"{suite}.{name}:{suite}/*.{name}:*/{suite}.{name}/*"
                                         for suite, name in tests if "Slow" not in name)
    return f"{layer}_test", "-*Slow*"
