#!/bin/sh
# Makes .venv at the root of the repository: the Python clients in the versions of
# requirements.txt, each file held to its hash, none built here. It does nothing where
# that is up to date. PYTHON says which Python, python3 without it.
set -eu
cd "$(dirname "$0")/../.."
lock=clients/python/requirements.txt
python=${PYTHON:-python3}

# The copy of the lock file is written last, so it stands for a venv that is whole.
if cmp -s "$lock" .venv/requirements.txt && .venv/bin/python -c '' 2>/dev/null; then
    exit 0
fi

fail() {
    echo "setup: $*" >&2
    exit 1
}
command -v "$python" >/dev/null || fail "$python is missing: install Python 3.10 or later"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$("$python" --version) is too old for aiokafka: install Python 3.10 or later, or name one by PYTHON=..."

# A pip that can work for another Python (from 22.3 on) need not be copied into the venv,
# which takes longer than all else here.
pip="$python -m pip --python .venv/bin/python"
bare=--without-pip
"$python" -m pip --python "$python" --version >/dev/null 2>&1 || { pip=".venv/bin/python -m pip"; bare=; }
"$python" -m venv --clear $bare .venv || fail "$python cannot make a venv: install its venv module (python3-venv)"
$pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$lock" ||
    fail "pip could not install $lock into .venv"
cp "$lock" .venv/requirements.txt
