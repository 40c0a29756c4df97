#!/bin/sh
# Install DynamoDB Local into the folder named as the only argument (default: .venv/tools/dynamodb-local), for the
# contract suite to run. Needs a JDK of version 11 or later and Maven; what Maven brings is cached in its own repository.
# A second run finds the work done and does nothing.
set -eu

here=$(cd "$(dirname "$0")/dynamodb_local" && pwd)
target=${1:-"$here/../../../.venv/tools/dynamodb-local"}
stamp="$target/.made"

if [ -e "$stamp" ] && [ ! "$here/pom.xml" -nt "$stamp" ] && [ ! "$here/Loopback.java" -nt "$stamp" ]; then
  exit 0
fi
for tool in javac mvn; do
  command -v "$tool" >/dev/null || { echo "DynamoDB Local needs $tool" >&2; exit 1; }
done

rm -rf "$target"
mkdir -p "$target"
target=$(cd "$target" && pwd)
mvn --batch-mode --quiet --file "$here/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$target/lib"
javac -cp "$target/lib/*" -d "$target" "$here/Loopback.java"
touch "$stamp"
