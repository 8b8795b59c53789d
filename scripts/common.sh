# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What scripts share: where things are, and how a preset is configured. Sourced, with `set -euo pipefail` in force.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WAYSTONE_HOME=$(realpath -m "${WAYSTONE_HOME:-$root/.waystone}")
export WAYSTONE_HOME
# Lets ccache hit for another checkout of the same sources.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# usage SCRIPT: the comment at its head, without the shebang and the licence.
usage() {
  sed -n '3,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$1"
}

step() {
  echo "==> $*"
}

# configure PRESET: only if that was not done yet for this WAYSTONE_HOME; ninja itself sees changed CMake files.
configure() {
  local cache=$root/build/$1/CMakeCache.txt
  if [ -f "$root/build/$1/build.ninja" ] && grep -qxF "WAYSTONE_HOME:PATH=$WAYSTONE_HOME" "$cache"; then
    return
  fi
  step "configuring build/$1"
  (cd "$root" && cmake --preset "$1" -DWAYSTONE_HOME="$WAYSTONE_HOME" --log-level=NOTICE >/dev/null)
}

# build PRESET TARGET...: quiet when there is nothing to do.
build() {
  local folder=$root/build/$1
  shift
  if [ -t 1 ]; then
    ninja -C "$folder" --quiet "$@" # keeps its one progress line on a terminal
  else
    ninja -C "$folder" "$@" | grep -vE '^ninja: (Entering directory|no work to do)|Re-checking globbed' || [ "${PIPESTATUS[0]}" -eq 0 ]
  fi
}
