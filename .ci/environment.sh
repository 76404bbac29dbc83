# What .ci/run and .ci/nightly share: where they run, and how. To be sourced.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true PYTHONUNBUFFERED=1 DEBIAN_FRONTEND=noninteractive
# Here a runtime that is not there is a failure and no reason to skip.
export MERKLIZE_REQUIRE_RUNTIMES=1
if ! command -v cargo >/dev/null && [ -d "$HOME/.cargo/bin" ]; then export PATH="$PATH:$HOME/.cargo/bin"; fi
# Steps compile the same sources by the same options: one compiler, named the same everywhere, and paths that the cache
# takes as seen from here, so that each is compiled once. The cache is the user's: it serves the next clone, too.
export CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
# pytest shows the slowest tests.
export PYTEST_ADDOPTS='--durations=10 --durations-min=5'
# A language whose tests fail does not keep those of the next from running.
export MAKEFLAGS=--keep-going
