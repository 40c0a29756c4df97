#!/bin/sh
# Brings the chessgame-backend, whose API the hot seat has, so that `make bench-serve` measures it too:
#
#     sh bench/original.sh [GIT_URL_OR_PATH]
#
# Needs git, Node and a C compiler. Its native libraries of 2020 do not build for today's Node, so it
# gets their successors. On a database of its own machine it need not encrypt.
set -eu
source=${1:-https://github.com/igorsouza-dev/chessgame-backend}
root=$(cd "$(dirname "$0")/.." && pwd)
target=$root/.venv/tools/original
commit=5990d68

rm -rf "$target"
mkdir -p "$(dirname "$target")"
git clone --quiet "$source" "$target"
cd "$target"
git -c advice.detachedHead=false checkout --quiet $commit
npm pkg delete devDependencies
npm install --no-audit --no-fund --loglevel=error bcrypt@6 pg@8 sqlite3@5 sucrase@3
sed -i 's/ssl: true/ssl: false/' src/config/database.js
node_modules/.bin/sucrase src --out-dir dist --transforms imports --quiet
echo "$target: make bench-serve measures it"
