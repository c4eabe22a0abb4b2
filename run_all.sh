#!/usr/bin/env bash
# Runs every notebook of Mnemocraft, setting up what it needs first.
#
#   ./run_all.sh [--profile smoke|quick|full] [--model NAME] [--only NN ...] [--workers N]
#                [--scheduler ADDRESS] [--set NAME=JSON ...]
#   ./run_all.sh test [PYTEST ARGUMENTS]   lint, type-check and test (every notebook in profile smoke too)
#                                          (with -m long: the tests that are too long for every day)
#   ./run_all.sh book                      make the site and the Markdown pages of the executed notebooks
#   ./run_all.sh alfworld                  install ALFWorld's engine (for the household; some minutes)
#   ./run_all.sh doctor [--model NAME]     say what is missing: packages, disk, fonts, a model that answers
#   ./run_all.sh minedojo-env              make build/minedojo-env for MineDojoEnv (needed by nothing else)
#   ./run_all.sh --help                    this text
#
# What to run
#   --profile smoke   a few episodes, to see that everything works (some two minutes)
#             quick   the default: all notebooks, small samples (at most ten minutes on two cores)
#             full    the size of the papers (surrogate: some twenty minutes per study on two cores)
#   --only 00 01      only the notebooks with these numbers
#   --workers N       processes per notebook; default: all cores, in smoke one. Results do not depend on it.
#   --scheduler tcp://host:8786   play on the workers of a dask scheduler (CLUSTER.md says how to start them)
#   --set seeds=[0]   any other parameter of the notebooks, as JSON; may be repeated
#
# With which model
#   --model surrogate          the default: a simulated stand-in, no key, no network. Not a language model.
#           local              a small language model that runs here, no key (local:PATH.gguf for yours)
#           replay:NAME        the recorded answers of data/recordings/NAME
#           any other name     a model of an OpenAI-compatible server, found by the usual variables
#                              OPENAI_API_KEY and OPENAI_BASE_URL (OpenAI, vLLM, Ollama, llama.cpp).
#                              This can cost money: notebook 00 estimates how much.
#
# Where things go
#   data/results/<notebook>/<model>/<profile>/*.csv     tables
#   figures/<notebook>/*.{png,pdf}                      figures of the largest run that came with the notebooks;
#   figures/<notebook>/<model>/<profile>/*.{png,pdf}    ... and of any other run
#   build/notebooks/<model>/<profile>/*.{ipynb,html}    executed notebooks
#   build/book/index.html                               the site that `book` makes of them, ...
#   book/*.md                                           ... and the pages, where data/results/ has the tables
#   build/runs/<notebook>/<model>/                      finished episodes: after Ctrl-C or a crash, the same
#                                                       command goes on from there; delete to start afresh
#
# Set-up: an active conda or virtual environment is used if it satisfies constraints.txt to the letter;
# otherwise .venv is made here (or mended) with Python 3.11 to 3.14. PYTHON=/path/to/python3 chooses one.
# On Linux the default torch brings CUDA (several GB more, used by nothing here);
# PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu ./run_all.sh takes its CPU build instead.
#
# minedojo-env needs Python 3.9 to 3.11 (PYTHON chooses one) and 0.4 GB: MineDojo's packages are too old to
# live beside ours. The game itself needs JDK 8 (JAVA_HOME), xvfb where there is no display, and the network.
#
# alfworld needs Python 3.11 or 3.12, g++ and make: two packages are built from source. It goes into the
# environment that the notebooks use. The split of the papers is then downloaded by `alfworld-download`.
# Without it notebook 10 shows the tables that came with the repository (status "shown"), and the tests of the
# household are skipped.
#
# Exit status: 0 every selected notebook ran (or every test passed), 1 something failed,
# 2 a wrong flag or a machine that cannot be set up, 130 stopped by Ctrl-C.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

say() { echo "run_all.sh: $*" >&2; }

usage() { sed -n '2,/^$/{s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"; }

# Is interpreter $1 one that the lock has wheels for?
supported() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; }

# Prints the first supported Python.
find_python() {
  local name
  if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
  else
    set -- python3.13 python3.12 python3.11 python3.14 python3
  fi
  for name in "$@"; do
    if supported "$name"; then
      echo "$name"
      return
    fi
  done
  say "Python 3.11 to 3.14 is needed, but none is found as $*; install one, or set PYTHON to its path."
  exit 2
}

# Is every package of the lock in environment $1 at its version, and this checkout installed there?
# Otherwise prints the first that is not.
satisfies_lock() {
  [ -x "$1/bin/python" ] && "$1/bin/python" -I - 2>/dev/null <<'PYTHON'
import importlib.metadata as metadata
import importlib.util
import sys
from pathlib import Path

def missing():
    try:
        from packaging.requirements import Requirement
    except ImportError:
        return "packaging"
    for line in Path("constraints.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        pin = Requirement(line)
        if pin.marker and not pin.marker.evaluate():
            continue
        try:
            version = metadata.version(pin.name)
        except metadata.PackageNotFoundError:
            return line
        if not pin.specifier.contains(version, prereleases=True):
            return f"{line}, it has {version}"
    spec = importlib.util.find_spec("mnemocraft")
    here = Path("lib/mnemocraft/__init__.py").resolve()
    if spec is None or not spec.origin or Path(spec.origin).resolve() != here:
        return "this checkout of mnemocraft"

lacks = missing()
if lacks:
    print(f"it lacks {lacks}")
    sys.exit(1)
PYTHON
}

make_venv() {
  local base
  if ! supported .venv/bin/python || ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    base=$(find_python)
    if ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then
      say "$base lacks its venv module: run 'sudo apt install $(basename "$base")-venv', then this again."
      exit 2
    fi
    say "making .venv with $("$base" --version)"
    "$base" -m venv --clear .venv
  fi
  say "installing the packages of constraints.txt into .venv (3 GB; takes some minutes the first time)"
  .venv/bin/python -m pip install --disable-pip-version-check -c constraints.txt -e '.[local,graph,finetune,minecraft,book,cluster,dev]'
  # The extra `serving` without triton, which is 1 GB and used on graphics cards alone.
  .venv/bin/python -m pip install --disable-pip-version-check --no-deps -c constraints.txt apache-tvm-ffi xgrammar
}

# Sets $python to the interpreter of an environment that satisfies the lock.
set_up() {
  local active why
  for active in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
    [ -n "$active" ] && [ "$active" != "$PWD/.venv" ] || continue
    if why=$(satisfies_lock "$active"); then
      say "using the active environment $active"
      python="$active/bin/python"
      return
    fi
    say "not using the active environment $active: ${why:-it has no Python that could be asked}"
  done
  if ! why=$(satisfies_lock .venv); then
    make_venv
    if ! why=$(satisfies_lock .venv); then
      say "constraints.txt and pyproject.toml disagree: after installing, .venv is wrong: $why."
      exit 2
    fi
  fi
  python=.venv/bin/python
}

# Installs ALFWorld's engine beside our packages, without the dependencies that it never uses.
install_alfworld() {
  if ! "$python" -c 'import sys; sys.exit(sys.version_info >= (3, 13))'; then
    say "ALFWorld's engine needs Python 3.11 or 3.12, but $python is newer; set PYTHON to one and delete .venv."
    exit 2
  fi
  "$python" -m pip install --disable-pip-version-check --no-deps -r constraints-alfworld.txt
}

# Makes the environment in which the real MineDojo runs. gym 0.21 installs only with an old pip, setuptools and
# wheel; MineDojo works only with gym 0.21, and reads its task file only with omegaconf below 2.4.
make_minedojo_env() {
  local env=build/minedojo-env base="" name
  if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
  else
    set -- python3.11 python3.10 python3.9 python3
  fi
  for name in "$@"; do
    if "$name" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info < (3, 12))' 2>/dev/null; then
      base=$name
      break
    fi
  done
  if [ -z "$base" ]; then
    say "Python 3.9 to 3.11 is needed for MineDojo, but none is found; install one, or set PYTHON to its path."
    exit 2
  fi
  say "making $env with $("$base" --version)"
  "$base" -m venv --clear "$env"
  "$env/bin/python" -m pip install --disable-pip-version-check "pip<24.1"
  "$env/bin/python" -m pip install setuptools==65.5.0 wheel==0.38.4
  "$env/bin/python" -m pip install --no-build-isolation \
    gym==0.21.0 "numpy<2" "opencv-python<4.9" "omegaconf<2.4" minedojo==0.1
  say "MineDojo is in $env; the game is built at the first reset, which needs JDK 8 and the network."
}

# Runs every check even if an earlier one fails, and names those that did.
run_tests() {
  local failed=""
  check() {
    echo "== ${*:2}" >&2
    "$python" -m "${@:2}" || failed="$failed, $1"
  }
  check "ruff check" ruff check .
  check "ruff format" ruff format --check .
  check mypy mypy
  check pytest pytest -n auto --dist loadfile --no-loadscope-reorder "$@"
  if [ -n "$failed" ]; then
    say "failed: ${failed#, }"
    exit 1
  fi
}

# Ends where a command was given arguments and takes none.
alone() {
  [ $# = 1 ] || { say "$1 takes no further arguments."; exit 2; }
}

case "${1:-}" in
  -h | --help)
    usage
    ;;
  test)
    shift
    set_up
    run_tests "$@"
    ;;
  book)
    alone "$@"
    set_up
    exec "$python" -m mnemocraft.book
    ;;
  alfworld)
    alone "$@"
    set_up
    install_alfworld
    ;;
  doctor)
    shift
    set_up
    exec "$python" -m mnemocraft.doctor "$@"
    ;;
  minedojo-env)
    alone "$@"
    make_minedojo_env
    ;;
  *)
    case " $* " in *" -h "* | *" --help "*) usage; exit ;; esac
    # The flags are judged before anything is installed.
    python=$(find_python)
    PYTHONPATH=lib "$python" -m mnemocraft.notebooks --check "$@"
    set_up
    exec "$python" -m mnemocraft.notebooks "$@"
    ;;
esac
