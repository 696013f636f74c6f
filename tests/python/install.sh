# Sourced: installs the build $1 and the Python package on it into the folder $2, without a network, by Debian's Python;
# sets python, that of a virtual environment. Nothing is left in the source tree.
# shellcheck shell=bash
python=/usr/bin/python3 # another one in PATH has not the system's packages
install_package() { # BUILD FOLDER
  local root
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  cmake --install "$1" --prefix "$2/prefix" >"$2/log" 2>&1 || { cat "$2/log"; return 1; }
  PKG_CONFIG_PATH=$(dirname "$(find "$2/prefix" -name tracebridge.pc)")
  export PKG_CONFIG_PATH PYTHONNOUSERSITE=1
  cp -r "$root/bridge/python" "$2/source"
  "$python" -m venv --system-site-packages --without-pip "$2/venv" >"$2/log" 2>&1 || { cat "$2/log"; return 1; }
  # as people do, with an index that nothing can be fetched from
  PIP_INDEX_URL=http://127.0.0.1:9/simple PIP_RETRIES=0 "$2/venv/bin/python" -m pip install \
    --disable-pip-version-check --quiet "$2/source" >"$2/log" 2>&1 || { cat "$2/log"; return 1; }
  python=$2/venv/bin/python3
}
