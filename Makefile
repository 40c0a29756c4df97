# Each target installs only what it lacks.
#
# .venv holds what the code, its tests and its checks need. MiniStack, SAM and the relay pin
# libraries against each other, so each has its own environment under .venv/tools. All are
# installed from requirements/NAME.txt, by hash.

PYTHON ?= python3
LAYER_TARGET ?= lambda
BUILD_DIR ?= .aws-sam/build
STACK ?= arbiter
# Examples of `make fuzz` for each operation: 1,300 are some 20,000 requests. A 400 for what the
# document allows is no fault: an npub has a checksum, and a browser may have no game. One worker:
# a cache of Hypothesis is not thread-safe.
EXAMPLES ?= 1300
# How long `make fuzz-bytes` runs.
MINUTES ?= 10
# Two workers take half the time of one. tests/worker_scheduling.py assigns the tests.
PYTEST_ARGS ?= -n 2 --dist loadfile -m 'not java'

BIN := .venv/bin
SAM := .venv/tools/sam/bin/sam
SOURCES = $(wildcard functions layers/arbiter/python server bridge local clients deploy bench events requirements tests)

# With it, programs would compile their imports at each start: `sam` takes 3.6 seconds instead of 1.3.
unexport PYTHONDONTWRITEBYTECODE

# No telemetry; the machine's certificates rather than a bundled list.
export SAM_CLI_TELEMETRY := 0
export UV_SYSTEM_CERTS := 1
# The order of files in requirements/locked.cksum.
export LC_COLLATE := C
# The layer's code, which Lambda has in /opt.
RUN_PYTHON = exec env PYTHONPATH="$(CURDIR)/layers/arbiter/python" $(BIN)/python
# `sam` needs a region, also where the profile names none.
SAM_REGION = AWS_DEFAULT_REGION=$${AWS_DEFAULT_REGION:-$${AWS_REGION:-us-east-1}}

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help house-keys web serve run run-moto play test test-java e2e web-games browser pictures sam-local rehearse sim chaos mixed-releases fuzz fuzz-bytes mutants bench bench-serve bench-e2e events hostile-inputs coverage check audit pr format build deploy relays undeploy server-key archive bridge bridge-key listen redrive restore verify-table copy-back lock clean bot run-cloud kills

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ------------------------------------------------------------------------------- use

# The web client. `WEB=0` goes without: `/` is then a page to read.
STATIC := layers/arbiter/python/arbiter/web/static
WEB_SOURCES := $(shell find clients/web \( -name node_modules -o -name maps -o -name tests \) -prune \
  -o -type f -print 2>/dev/null)
WEB_CLIENT = $(if $(filter 0,$(WEB)),,$(STATIC)/index.html)

web: $(STATIC)/index.html ## build the web client, which `/` serves, and say what each part weighs

$(STATIC)/index.html: $(WEB_SOURCES) | .venv/.bootstrap
	@$(BIN)/python -m clients.web.scripts build

CLOUD_TOOLS = .venv/tools/.ministack .venv/tools/.relay .venv/tools/.sam
BRIDGE_TOOLS = $(if $(filter 1,$(SSB)),.venv/tools/.ssb)

run: .venv/.dev .venv/tools/.relay $(BRIDGE_TOOLS) $(WEB_CLIENT) ## run the arbiter on this machine, until Ctrl-C (SSB=1: with a bridge to Scuttlebutt)
	@$(RUN_PYTHON) -m local.run

run-cloud: .venv/.dev $(CLOUD_TOOLS) $(BRIDGE_TOOLS) $(WEB_CLIENT) ## run it as on AWS, deployed to the emulator MiniStack
	@$(RUN_PYTHON) -m local.run_cloud

serve: .venv/.dev $(WEB_CLIENT) ## serve games in one process on one file (ARGS="--data PATH --listen HOST:PORT"), until Ctrl-C
	@$(RUN_PYTHON) -m server serve $(ARGS)

run-moto: .venv/.dev .venv/tools/.relay ## run the arbiter on a moto server instead of MiniStack
	@$(RUN_PYTHON) -m local.run_moto

play: .venv/.dev ## play in the terminal, on `make run` or RELAYS=… SERVER=npub…
	@$(RUN_PYTHON) -m clients.terminal $(ARGS)

BOT = $(if $(ENGINE),--engine "$(ENGINE)") $(if $(NAME),--name "$(NAME)") $(if $(LEVEL),--level "$(LEVEL)") \
  $(if $(CONFIG),--config "$(CONFIG)") $(if $(RELAYS),--relays "$(RELAYS)") $(if $(SERVER),--server "$(SERVER)")

bot: .venv/.dev ## play by a UCI engine (ENGINE=stockfish NAME=… LEVEL=1..8 CONFIG=file.toml; ENGINE=plain is ours), on `make run` or RELAYS=… SERVER=npub…
	@$(RUN_PYTHON) -m clients.bot $(BOT) $(ARGS)

# ------------------------------------------------------------------------------ prove

# What the tests in these folders need. If PYTEST_ARGS names no path, everything.
TESTED = $(filter tests%,$(PYTEST_ARGS))
needed_by = $(if $(filter tests tests/ $(addsuffix %,$(1)),$(or $(TESTED),tests)),$(2))
TEST_TOOLS = $(call needed_by,tests/contract,.venv/tools/.ministack) \
  $(call needed_by,tests/chaos tests/clients tests/e2e tests/server,.venv/tools/.relay) \
  $(call needed_by,tests/runtime,.venv/tools/.runtime) \
  $(call needed_by,tests/runtime,.venv/tools/.sam) \
  $(call needed_by,tests/bridge,.venv/tools/.ssb)

test: .venv/.dev $(TEST_TOOLS) ## run the tests that need only package registries (PYTEST_ARGS=tests/core: those)
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

test-java: .venv/.dev ## run the contract suite on DynamoDB Local and ElasticMQ (needs a JDK and Maven)
	@sh tests/contract/java_stand_in.sh dynamodb_local .venv/tools/dynamodb-local
	@sh tests/contract/java_stand_in.sh elasticmq .venv/tools/elasticmq
	@$(BIN)/python -m pytest -m java tests/contract

# What is played on the emulated cloud as well; the others of tests/e2e are about relays and pages.
ON_CLOUD = $(addprefix tests/e2e/test_,games.py gateway.py house.py nip100.py reads.py ssb.py)

# What E2E_ARGS choose may be in one of the two alone. 5: pytest ran no test.
NONE_CHOSEN = $(if $(E2E_ARGS),|| test $$? -eq 5)

e2e: .venv/.dev $(CLOUD_TOOLS) .venv/tools/.ssb ## run the slow tests of tests/e2e (khatru if there is Go, nostr-rs-relay if Cargo and protoc), and those that are also about the emulated cloud
	@$(BIN)/python -m pytest -n 2 --dist loadscope -m e2e_slow $(E2E_ARGS) tests/e2e $(NONE_CHOSEN)
	@WIRING=cloud $(BIN)/python -m pytest -n 2 --dist loadscope -m 'slow or e2e_slow' $(E2E_ARGS) $(ON_CLOUD) $(NONE_CHOSEN)

web-games: .venv/.dev .venv/tools/.relay ## play whole games by the web client under Node, on real arbiters and relays
	@$(BIN)/python -m clients.web.scripts itest

# The driver is in an environment of its own; the tests are run by this Python.
BROWSER_PYTHON = exec env PYTHONPATH="$(CURDIR):$(CURDIR)/layers/arbiter/python:$$(echo "$(CURDIR)"/.venv/tools/browser/lib/python*/site-packages)" $(BIN)/python

browser: .venv/.dev .venv/tools/.browser .venv/tools/.relay web ## play in real browsers, where there is a chromium (BROWSER=firefox: in that; BROWSER_ARGS="-k chess960")
	@$(BROWSER_PYTHON) -m pytest -n 2 --dist worksteal $(BROWSER_ARGS) tests/browser

pictures: .venv/.dev .venv/tools/.browser .venv/tools/.relay web ## take the pictures of docs/images in chromium
	@$(BROWSER_PYTHON) -m tests.browser.pictures

sim: .venv/.dev ## simulate days of play while everything fails: SEEDS=5000, the story of SEED=n, or BUGS=1 to plant bugs and find them
	@exec env PYTHONPATH="$(CURDIR):$(CURDIR)/layers/arbiter/python" $(BIN)/python -m tests.simulation \
	  $(if $(BUGS),--bugs,$(if $(SEED),--seed $(SEED) $(if $(ABOUT),--about $(ABOUT)),--seeds $(or $(SEEDS),200) --first $(or $(FIRST),1)))

chaos: .venv/.dev .venv/tools/.relay .venv/tools/.ssb $(if $(filter cloud,$(WIRING)),$(CLOUD_TOOLS)) ## play while processes are killed, relays pause, the disk is full and junk floods in (WIRING=cloud, ONLY=words, SEED=n)
	@$(RUN_PYTHON) -m tests.chaos

kills: .venv/.dev .venv/tools/.relay ## kill `make run`'s server KILLS=1000 times at any moment while games go on (SEED=n)
	@$(RUN_PYTHON) -m tests.chaos.kills

# Not through another target: exit code 75 means that there is no older release to try.
mixed-releases: .venv/.dev $(CLOUD_TOOLS) ## serve the same games by an older release (OLD=ref) and this one in turn
	@RUN_DIR="$${RUN_DIR:-.run}/releases"; export RUN_DIR; $(RUN_PYTHON) -m tests.releases

fuzz: .venv/tools/.schemathesis ## send what the OpenAPI document allows to `make run`
	@http=$$($(BIN)/python -c 'import json, sys; print(json.load(open(sys.argv[1]))["http"])' \
	  "$${RUN_DIR:-.run}/endpoints.json") && \
	.venv/tools/schemathesis/bin/schemathesis run "$$http/openapi.json" --url "$$http" --workers 1 \
	  --max-examples $(EXAMPLES) --continue-on-failure --generation-database none --no-color \
	  --request-timeout 60 --checks all --exclude-checks positive_data_acceptance $(ARGS)

fuzz-bytes: .venv/.dev ## send random input to every entry point for MINUTES=10 (TARGET=name)
	@$(RUN_PYTHON) -m tests.fuzz.run --minutes $(MINUTES) $(if $(TARGET),--target $(TARGET)) $(if $(CASE),--case $(CASE))

mutants: .venv/.dev .venv/tools/.mutants ## put small mistakes into core and dialects, and count which the tests find (ONLY=core/offers.py, ONE_IN=25)
	@$(RUN_PYTHON) -m tests.mutants $(if $(ONLY),--only "$(ONLY)") $(if $(ONE_IN),--one-in $(ONE_IN)) $(ARGS)

bench: .venv/.dev ## measure CPU, size and list price of a move
	@$(RUN_PYTHON) -m bench.run

bench-serve: .venv/.dev .venv/tools/.relay ## measure `make serve`: moves a second, milliseconds and CPU a move (ARGS="8 native-100"; ARGS=crowd: 10,000 sockets)
	@$(RUN_PYTHON) -m bench.serve $(ARGS)

bench-e2e: .venv/.dev $(CLOUD_TOOLS) ## measure a move from client to client on the emulated cloud: milliseconds, CPU by process, calls (WIRING=serve; OF=ref an older commit; ARGS="8 'relay, 20'")
	@$(RUN_PYTHON) -m bench.e2e $(ARGS)

sam-local: .venv/.dev .venv/tools/.relay .venv/tools/.sam ## run every sample of events/ through `sam local`, on moto (needs Docker)
	@$(RUN_PYTHON) -m local.sam_local

rehearse: .venv/.dev $(CLOUD_TOOLS) ## practise a deployment's life on MiniStack: move games there, play, update, roll back, restore, exchange the key, delete
	@$(RUN_PYTHON) -m local.rehearsal

events: .venv/.dev ## rewrite the sample invocations in events/
	@$(RUN_PYTHON) -m events.samples

hostile-inputs: .venv/.dev ## list each hostile input with its entry point and its answer
	@$(RUN_PYTHON) -m tests.hostile

coverage: .venv/.dev $(TEST_TOOLS) ## list lines and branches that no test runs
	@$(BIN)/python -m coverage erase
	@$(BIN)/python -m coverage run -m pytest $(PYTEST_ARGS)
	@$(BIN)/python -m coverage combine --quiet
	@$(BIN)/python -m coverage report

# Each tool runs, also after one before it failed.
check: .venv/.dev .venv/tools/.sam ## check format, lint, types, import contracts, template and locks
	@failed=; run() { name=$$1; shift; echo "$$*"; "$$@" || failed="$$failed $$name"; }; \
	run format $(BIN)/ruff format --check $(SOURCES); \
	run lint $(BIN)/ruff check $(SOURCES); \
	run types $(BIN)/mypy $(SOURCES); \
	run web $(BIN)/python -m clients.web.scripts check; \
	run imports env PYTHONPATH=.:layers/arbiter/python $(BIN)/lint-imports; \
	run locks $(MAKE) --no-print-directory --silent locked; \
	run template env $(SAM_REGION) $(SAM) validate --lint --template template.yaml; \
	if [ "$$failed" ]; then echo "make check: failed:$$failed" >&2; exit 1; fi

# Not listed, since `make check` has it: whether a .in or a lock has changed since `make lock`.
.PHONY: locked
locked:
	@cd requirements && cksum *.in *.txt | cmp -s - locked.cksum || { echo "requirements/ has changed: run make lock" >&2; exit 1; }

# Not through another target: exit code 75 means that not everything could be looked up.
audit: .venv/.bootstrap .venv/tools/.audit ## look for known vulnerabilities in the locks, and secrets in the tree and its history (needs Go)
	@requirements/audit.sh

pr: ## check, then test, as continuous integration does
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory test

format: .venv/.dev ## format the code, and fix what ruff can fix safely
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

# ------------------------------------------------------------------------------- ship

build: .venv/.bootstrap .venv/tools/.sam $(WEB_CLIENT) ## build for Lambda into .aws-sam (LAYER_TARGET=host: for this Python)
	$(SAM_REGION) LAYER_TARGET=$(LAYER_TARGET) $(SAM) build --template template.yaml --build-dir $(BUILD_DIR)

deploy: .venv/.dev .venv/tools/.sam ## deploy to AWS: asks four things once (PROFILE=small, default or large; SET="Name=value …"; ASK=1 asks again)
	@$(RUN_PYTHON) -m deploy.deploy --stack-name $(STACK) $(if $(PROFILE),--profile $(PROFILE)) $(if $(SET),--set $(SET)) $(if $(ASK),--ask)

relays: .venv/.dev ## test relays before an arbiter lives on them (RELAYS=wss://one.example,wss://two.example)
	@$(RUN_PYTHON) -m deploy.relays "$(or $(RELAYS),$(error Say which relays: make relays RELAYS=wss://one.example,wss://two.example))"

server-key: .venv/.dev ## store the secret key of a deployed arbiter (NEW=1 makes one, before `make deploy`)
	@$(RUN_PYTHON) -m deploy.server_key $(if $(NEW),new,store) --stack-name $(STACK)

house-keys: .venv/.dev ## print HouseKeys for a stack that itself plays as its house (HousePlays); asks for the secret key
	@$(RUN_PYTHON) -m deploy.server_key house

undeploy: .venv/.dev ## delete a deployed arbiter and everything that it made, games included
	@$(RUN_PYTHON) -m deploy.undeploy --stack-name $(STACK)

archive: .venv/.dev ## print a game of kind 30 as PGN, checked (GAME=jester1… RELAYS=wss://…), the games of a Scuttlebutt log (LOG=log.json TO=folder SIGN_WITH=keyfile), or those of a PGN file (PGN=games.pgn)
	@$(RUN_PYTHON) -m $(if $(GAME),deploy.archive "$(GAME)" "$(or $(RELAYS),$(error Say which relays: make archive GAME=$(GAME) RELAYS=wss://one.example,wss://two.example))",$(if $(PGN),clients.web.archive "$(PGN)",bridge.archive --from-log "$(or $(LOG),$(error Say which games: make archive GAME=jester1… RELAYS=wss://…, make archive LOG=log.json, or make archive PGN=games.pgn))" $(if $(TO),--to "$(TO)") $(if $(SIGN_WITH),--sign-with "$(SIGN_WITH)")))

bridge: .venv/.dev .venv/tools/.ssb ## run a bridge to Scuttlebutt, until Ctrl-C, for a deployed arbiter or for the server ARBITER_URL=http://… SERVER_PUBKEY=npub1…
	@$(RUN_PYTHON) -m $(if $(ARBITER_URL),bridge,deploy.bridge --stack-name $(STACK))

bridge-key: .venv/.dev ## print that bridge's public key for `make deploy`, made if there is none
	@$(RUN_PYTHON) -m deploy.bridge --key

listen: .venv/.dev ## run a listener for a deployed arbiter, until Ctrl-C
	@$(RUN_PYTHON) -m deploy.listen --stack-name $(STACK)

redrive: .venv/.dev ## give the dead letters of a deployed arbiter back (QUEUES="moves clock"; default all but seeks)
	@$(RUN_PYTHON) -m deploy.redrive --stack-name $(STACK) $(QUEUES)

restore: .venv/.dev ## restore the games of a deployed arbiter (AT=2026-11-21T12:00:00Z), or the whole table if it is gone
	@$(RUN_PYTHON) -m deploy.restore --stack-name $(STACK) $(if $(AT),--at $(AT))

verify-table: .venv/.dev ## replay every game of a table by the rules (TABLE=name), such as a restored one
	@$(RUN_PYTHON) -m deploy.verify_table --table "$(or $(TABLE),$(error Say which table: make verify-table TABLE=name))"

copy-back: .venv/.dev ## copy from a restored table what the stack's lacks or has older (FROM=name)
	@$(RUN_PYTHON) -m deploy.copy_back --stack-name $(STACK) --from "$(or $(FROM),$(error Say which restored table: make copy-back FROM=name))"

# For every platform from the oldest supported Python up. With the checksums `make check` needs no
# network; resolving again would fail after each release of a package.
lock: .venv/.bootstrap ## resolve requirements/*.in again (UPGRADE=1: newer versions)
	cd requirements && for it in *.in; do \
	  ../$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
	    --python-version 3.11 $(if $(UPGRADE),--upgrade) $$it -o $${it%.in}.txt || exit; done
	cd requirements && cksum *.in *.txt >locked.cksum

clean: ## remove what was installed and built, but not the games under .run
	rm -rf .venv .aws-sam .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .schemathesis
	rm -rf .coverage .coverage.* htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------------------- install

# One line each, instead of fifty by pip or venv. Where $(PYTHON) is too new, install.py finds another.
define check_python
	@command -v "$(PYTHON)" >/dev/null || { \
	  echo "Arbiter needs Python 3.11 or newer, and there is no $(PYTHON): make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Arbiter needs Python 3.11 or newer, and $(PYTHON) is $$("$(PYTHON)" -V 2>&1): make PYTHON=/path/to/another" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: install its venv module (Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
endef

# Make compares ages; install.py compares content.
.venv/.bootstrap: requirements/bootstrap.txt
	$(check_python)
	@"$(PYTHON)" -m requirements.install

.venv/.dev: requirements/dev.txt .venv/.bootstrap
	@$(BIN)/python -m requirements.install dev

.venv/tools/.%: requirements/%.txt .venv/.bootstrap
	@$(BIN)/python -m requirements.install $*

.venv/tools/.ssb: bridge/peer/package-lock.json bridge/peer/package.json bridge/install.py requirements/node.py requirements/node.txt .venv/.bootstrap
	@$(BIN)/python -m bridge.install
