#!/bin/bash
# Plants a wrong version, a dependency too many and one too few, and a package without a name: recipes.py finds each.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$here/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/recipes.py" "$tree"
plant() { # FILE SED WHAT
  rm -rf "$work/tree"
  mkdir -p "$work/tree/third_party"
  cp "$tree/CMakeLists.txt" "$work/tree"
  cp -r "$tree/third_party/debian.sh" "$tree/third_party/packaging" "$work/tree/third_party"
  sed -i "$2" "$work/tree/$1"
  if said=$(python3 "$here/recipes.py" "$work/tree"); then
    echo "recipes_test: not found: $3"
    exit 1
  fi
  grep -qF "$3" <<<"$said" || { echo "recipes_test: instead of '$3': $said"; exit 1; }
}
plant third_party/packaging/PKGBUILD 's/^pkgver=.*/pkgver=0.0.9/' "PKGBUILD has version 0.0.9"
plant third_party/packaging/tracebridge.rb 's/version ".*/version "7"/' "tracebridge.rb has version 7"
plant third_party/packaging/PKGBUILD 's/^depends=(zlib /depends=(/' "PKGBUILD lacks zlib"
plant third_party/packaging/tracebridge.rb 's/"zstd"/"zstd5"/' "tracebridge.rb has no reason for zstd5"
plant third_party/debian.sh 's/^build_packages=(/&libnew-dev /' "do not both have libnew-dev"
echo "recipes_test: five faults found"
