# Sourced by quickstart.sh and test.sh: Debian packages that the project needs. README.md in this folder says why each.
# shellcheck shell=bash disable=SC2034 # the lists are for whoever sources this

build_packages=(build-essential cmake ninja-build protobuf-compiler protobuf-c-compiler libprotobuf-c-dev nanopb
  libnanopb-dev zlib1g-dev libzstd-dev libxxhash-dev libarchive-dev coinor-libclp-dev
  libisal-dev libmicrohttpd-dev libsodium-dev)
test_packages=(libcmocka-dev pkg-config python3 bsdutils zstd)
shell_packages=(zsh fish) # whose completions `./test.sh all` tries, as those of bash
package_packages=(mmdebstrap dpkg-dev) # for what `./test.sh all` installs in a fresh Debian
# for bridge/python, which `./test.sh all` installs and tries
python_packages=(python3-dev python3-cffi python3-numpy python3-pip python3-setuptools python3-wheel)
browser_packages=(chromium) # for what `./test.sh all` opens in a browser
lint_packages=(clang clang-format clang-tidy cppcheck shellcheck libsimdjson-dev) # and the other compiler

# Installs those of the named packages that are missing, as root or with sudo.
install_packages() {
  local package missing=() as_root=()
  command -v apt-get >/dev/null || {
    echo "No apt-get here: please install what corresponds to: $*" >&2
    return 0
  }
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  [[ $(id -u) == 0 ]] || as_root=(sudo)
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}
