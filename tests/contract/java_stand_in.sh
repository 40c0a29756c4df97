#!/bin/sh
# Install a stand-in that runs on Java, for the contract suite to run: the folder beside this file that has its pom.xml and
# its Loopback.java, and the folder to install it into. Needs a JDK of version 11 or later and Maven; what Maven brings is
# cached in its own repository. A second run finds the work done and does nothing.
set -eu

here=$(cd "$(dirname "$0")/$1" && pwd)
target=$2
stamp="$target/.made"

if [ -e "$stamp" ] && [ ! "$here/pom.xml" -nt "$stamp" ] && [ ! "$here/Loopback.java" -nt "$stamp" ]; then
  exit 0
fi
for tool in javac mvn; do
  command -v "$tool" >/dev/null || { echo "$1 needs $tool" >&2; exit 1; }
done

rm -rf "$target"
mkdir -p "$target"
target=$(cd "$target" && pwd)
mvn --batch-mode --quiet --file "$here/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$target/lib"
javac -cp "$target/lib/*" -d "$target" "$here/Loopback.java"
touch "$stamp"
