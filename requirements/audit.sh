#!/bin/sh
# Known vulnerabilities of what is locked, and secrets in the files and in every commit.
#
# Exits with 1 if something was found. With 75 ("try again later") if nothing was found, but an
# advisory service or a tool could not be had: what was not looked up is not called clean.
cd "$(dirname "$0")/.." || exit
found='' unknown=''

# look FOUND UNKNOWN COMMAND…: runs it, and tells by words in its output what came of it. pip-audit
# exits with 0 for a package that the service does not know, npm with 1 also if the service does not answer.
look() {
  signs=$1 gaps=$2
  shift 2
  echo "$*"
  output=$("$@" 2>&1)
  code=$?
  if printf '%s\n' "$output" | grep -Eq "$signs"; then
    found=1
  elif [ "$code" -ne 0 ] || printf '%s\n' "$output" | grep -Eq "$gaps"; then
    unknown=1
  else
    return 0
  fi
  printf '%s\n' "$output"
}

for lock in requirements/layer.txt requirements/*.txt; do
  # If the smallest lock gets no answer, the others are not asked about.
  if [ "$unknown" ]; then
    echo "The other locks were not looked up."
    break
  fi
  look '^Found [0-9]+ known' 'Skip Reason' .venv/tools/audit/bin/pip-audit \
    --require-hashes --disable-pip --progress-spinner off --timeout 15 --requirement "$lock"
done
for lock in $(git ls-files '*package-lock.json'); do
  look '^Severity: |^[0-9]+ .*vulnerabilit' 'npm error' npm audit --package-lock-only --prefix "$(dirname "$lock")"
done
# Go builds the scanner, pinned by hash in go.sum.
if (cd requirements/gitleaks && go build -mod=readonly -o ../../.venv/tools/gitleaks github.com/zricethezav/gitleaks/v8); then
  for how in git 'git --staged' 'git --pre-commit'; do
    # shellcheck disable=SC2086 # two words
    look 'RuleID:' 'a^' .venv/tools/gitleaks $how --config requirements/gitleaks/gitleaks.toml \
      --no-banner --redact --verbose .
  done
else
  echo "Secrets were not looked for: that takes Go."
  unknown=1
fi

if [ "$found" ]; then exit 1; fi
if [ "$unknown" ]; then
  echo "Nothing was found, but not all was looked up: see above."
  exit 75
fi
