#!/usr/bin/env python3
"""recipes.py [TREE]: the recipes of third_party/packaging have the project's version and name, by names.tsv, each
package that debian.sh says the build needs, and no other."""
import re
import subprocess
import sys
from pathlib import Path

tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
packaging = tree / "third_party" / "packaging"


def words(pattern, text):
    return {word for found in re.findall(pattern, text, re.S | re.M) for word in found.split()}


def complaints():
    version = re.search(r"^project\(\w+ VERSION ([\d.]+)", (tree / "CMakeLists.txt").read_text(), re.M)[1]
    needed = words(r"^build_packages=\((.*?)\)", (tree / "third_party/debian.sh").read_text())
    rows = [line.split("\t") for line in (packaging / "names.tsv").read_text().splitlines() if line[0] != "#"]
    for name in sorted(needed ^ {row[0] for row in rows}):
        yield f"names.tsv and debian.sh do not both have {name}"
    pkgbuild = (packaging / "PKGBUILD").read_text()
    formula = (packaging / "tracebridge.rb").read_text()
    recipes = (("PKGBUILD", 1, words(r"^(?:make)?depends=\((.*?)\)", pkgbuild), re.search(r"pkgver=(\S+)", pkgbuild)),
               ("tracebridge.rb", 2, words(r'depends_on "(.*?)"', formula), re.search(r'version "(.*?)"', formula)))
    for recipe, column, names, its_version in recipes:
        if its_version[1] != version:
            yield f"{recipe} has version {its_version[1]}, the project {version}"
        wanted = {name for row in rows for name in row[column].split() if name != "-"}
        for name in sorted(wanted ^ names):
            yield f"{recipe} {'lacks' if name in wanted else 'has no reason for'} {name}"
    if subprocess.run(["bash", "-n", packaging / "PKGBUILD"], check=False).returncode:
        yield "PKGBUILD is no shell script"


found = list(complaints())
for complaint in found:
    print(complaint)
sys.exit(bool(found))
