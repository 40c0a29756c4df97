# Each target installs only what it lacks.
#
# .venv holds what the code, its tests and its checks need. MiniStack, SAM and the relay pin
# libraries against each other, so each has its own environment under .venv/tools. All are
# installed from requirements/NAME.txt, by hash.

PYTHON ?= python3
STACK ?= arbiter
# On two processors: while one worker waits for a server, two compute. tests/worker_scheduling.py
# assigns the tests.
PYTEST_ARGS ?= -n 3 --dist loadfile -m 'not java and not oracle'

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
.PHONY: help run run-cloud run-moto play bot test e2e browser sim chaos kills bench bench-serve fire bench-e2e sam-local rehearse events check pr deploy policy relays undeploy lock

help: ## list the targets; rarer programs are in CONTRIBUTING.md
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ------------------------------------------------------------------------------- use

# The web client. `WEB=0` goes without: `/` is then a page to read.
STATIC := layers/arbiter/python/arbiter/web/static
WEB_SOURCES := $(shell find clients/web \( -name node_modules -o -name maps -o -name tests \) -prune \
  -o -type f -print 2>/dev/null)
WEB_CLIENT = $(if $(filter 0,$(WEB)),,$(STATIC)/index.html)

$(STATIC)/index.html: $(WEB_SOURCES) | .venv/.bootstrap
	@$(BIN)/python -m clients.web.scripts build

CLOUD_TOOLS = .venv/tools/.ministack .venv/tools/.relay .venv/tools/.sam
BRIDGE_TOOLS = $(if $(filter 1,$(SSB)),.venv/tools/.ssb)

run: .venv/.dev .venv/tools/.relay $(BRIDGE_TOOLS) $(WEB_CLIENT) ## run the arbiter on this machine, until Ctrl-C (SSB=1: with a bridge to Scuttlebutt)
	@$(RUN_PYTHON) -m local.run

run-cloud: .venv/.dev $(CLOUD_TOOLS) $(BRIDGE_TOOLS) $(WEB_CLIENT) ## run it as on AWS, deployed to the emulator MiniStack
	@$(RUN_PYTHON) -m local.run_cloud

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
  $(call needed_by,tests/deploy tests/runtime,.venv/tools/.sam) \
  $(call needed_by,tests/bridge,.venv/tools/.ssb)

test: .venv/.dev $(TEST_TOOLS) ## run the tests that need only package registries (PYTEST_ARGS=tests/core: those; COVERAGE=1: then list what none ran)
	$(if $(COVERAGE),@$(BIN)/python -m coverage erase)
	@$(BIN)/python -m $(if $(COVERAGE),coverage run -m )pytest $(PYTEST_ARGS)
	$(if $(COVERAGE),@$(BIN)/python -m coverage combine --quiet && $(BIN)/python -m coverage report)

# What is played on the emulated cloud as well; the others of tests/e2e are about relays and pages.
ON_CLOUD = $(addprefix tests/e2e/test_,events.py games.py gateway.py house.py nip100.py notices.py reads.py ssb.py transcripts.py)

# The web client is built first: two runs of a test that began at once would each build it.
# What E2E_ARGS choose may be in one of the two alone. 5: pytest ran no test.
NONE_CHOSEN = $(if $(E2E_ARGS),|| test $$? -eq 5)

e2e: .venv/.dev $(CLOUD_TOOLS) .venv/tools/.ssb .venv/tools/.lichess $(WEB_CLIENT) ## run the slow tests of tests/e2e (khatru if there is Go, nostr-rs-relay if Cargo and protoc), and those that are also about the emulated cloud
	@$(BIN)/python -m pytest -n 3 --dist loadscope -m e2e_slow $(E2E_ARGS) tests/e2e $(NONE_CHOSEN)
	@WIRING=cloud $(BIN)/python -m pytest -n 3 --dist loadscope -m 'slow or e2e_slow' $(E2E_ARGS) $(ON_CLOUD) $(NONE_CHOSEN)

# The driver is in an environment of its own; the tests are run by this Python.
BROWSER_PYTHON = exec env PYTHONPATH="$(CURDIR):$(CURDIR)/layers/arbiter/python:$$(echo "$(CURDIR)"/.venv/tools/browser/lib/python*/site-packages)" $(BIN)/python

browser: .venv/.dev .venv/tools/.browser .venv/tools/.relay $(STATIC)/index.html ## play in real browsers, where there is a chromium (BROWSER=firefox: in that; BROWSER_ARGS="-k chess960"; PICTURES=1 takes those of docs/images)
	@$(BROWSER_PYTHON) -m $(if $(PICTURES),tests.browser.pictures,pytest -n 3 --dist worksteal $(BROWSER_ARGS) tests/browser)

sim: .venv/.dev ## simulate days of play under faults: SEEDS=5000, the story of SEED=n, or BUGS=1 to plant bugs and find them
	@exec env PYTHONPATH="$(CURDIR):$(CURDIR)/layers/arbiter/python" $(BIN)/python -m tests.simulation \
	  $(if $(BUGS),--bugs,$(if $(SEED),--seed $(SEED) $(if $(ABOUT),--about $(ABOUT)),--seeds $(or $(SEEDS),200) --first $(or $(FIRST),1)))

chaos: .venv/.dev .venv/tools/.relay $(WEB_CLIENT) $(if $(filter cloud,$(WIRING)),$(CLOUD_TOOLS)) ## play while processes are killed, relays pause and the disk is full (WIRING=cloud, ONLY=words, SEED=n)
	@$(RUN_PYTHON) -m tests.chaos

kills: .venv/.dev .venv/tools/.relay $(WEB_CLIENT) ## kill `make run`'s server KILLS=1000 times at any moment while games go on (SEED=n)
	@$(RUN_PYTHON) -m tests.chaos.kills

bench: .venv/.dev ## measure CPU, size and list price of a move
	@$(RUN_PYTHON) -m bench.run

bench-serve: .venv/.dev .venv/tools/.relay ## measure `arbiter serve`: moves a second, milliseconds and CPU a move (ARGS="8 native-100"; ARGS=crowd: 10,000 sockets)
	@$(RUN_PYTHON) -m bench.serve $(ARGS)

fire: .venv/.dev .venv/tools/.relay ## attack `arbiter serve` beside two honest pairs: what they saw, memory, errors (ARGS="20 50 notes pings"; see bench/fire.py)
	@$(RUN_PYTHON) -m bench.fire $(ARGS)

bench-e2e: .venv/.dev $(CLOUD_TOOLS) ## measure a move from client to client on the emulated cloud: milliseconds, CPU by process, calls (ARGS="8 'relay, 20'")
	@$(RUN_PYTHON) -m bench.e2e $(ARGS)

sam-local: .venv/.dev .venv/tools/.relay .venv/tools/.sam ## run every sample of events/ through `sam local`, on moto (needs Docker)
	@$(RUN_PYTHON) -m local.sam_local

rehearse: .venv/.dev $(CLOUD_TOOLS) ## practise a deployment's life on MiniStack: deploy, play, update, roll back, delete
	@$(RUN_PYTHON) -m local.rehearsal

events: .venv/.dev ## rewrite the sample invocations in events/
	@$(RUN_PYTHON) -m events.samples

# Each tool runs, also after one before it failed.
check: .venv/.dev .venv/tools/.sam ## check format, lint, types, import contracts, template and locks (FIX=1 formats, and fixes what ruff can)
	@failed=; run() { name=$$1; shift; echo "$$*"; "$$@" || failed="$$failed $$name"; }; \
	run format $(BIN)/ruff format $(if $(FIX),,--check) $(SOURCES); \
	run lint $(BIN)/ruff check $(if $(FIX),--fix) $(SOURCES); \
	run types $(BIN)/mypy $(SOURCES); \
	run web $(BIN)/python -m clients.web.scripts check; \
	run imports env PYTHONPATH=.:layers/arbiter/python $(BIN)/lint-imports; \
	run locks sh -c "cd requirements && cksum *.in *.txt | cmp -s - locked.cksum || { echo 'changed: run make lock' >&2; exit 1; }"; \
	run template env $(SAM_REGION) $(SAM) validate --lint --template template.yaml; \
	if [ "$$failed" ]; then echo "make check: failed:$$failed" >&2; exit 1; fi

pr: ## check, then test, as continuous integration does
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory test

# ------------------------------------------------------------------------------- ship

deploy: .venv/.dev .venv/tools/.sam $(WEB_CLIENT) ## deploy to AWS: asks five things once (PROFILE=small, default or large; SET="Name=value …"; ASK=1 asks again)
	@$(RUN_PYTHON) -m deploy.deploy --stack-name $(STACK) $(if $(PROFILE),--profile $(PROFILE)) $(if $(SET),--set $(SET)) $(if $(ASK),--ask)

relays: .venv/.dev ## test relays before an arbiter lives on them (RELAYS=wss://one.example,wss://two.example)
	@$(RUN_PYTHON) -m server.relay_check "$(or $(RELAYS),$(error Say which relays: make relays RELAYS=wss://one.example,wss://two.example))"

policy: .venv/.dev ## show or change who may play on a deployed arbiter (ARGS="deny npub1… --reason rude --until 2027-01-31"; ARGS=--help)
	@$(RUN_PYTHON) -m deploy.policy --stack-name $(STACK) $(or $(ARGS),list)

undeploy: .venv/.dev ## delete a deployed arbiter and everything that it made, games included
	@$(RUN_PYTHON) -m deploy.undeploy --stack-name $(STACK)

# For every platform from the oldest supported Python up. With the checksums `make check` needs no
# network; resolving again would fail after each release of a package.
lock: .venv/.bootstrap ## resolve requirements/*.in again (UPGRADE=1: newer versions)
	cd requirements && for it in *.in; do \
	  ../$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header \
	    --python-version 3.11 $(if $(UPGRADE),--upgrade) $$it -o $${it%.in}.txt || exit; done
	cd requirements && cksum *.in *.txt >locked.cksum

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

.venv/.dev: requirements/dev.txt requirements/install.py .venv/.bootstrap
	@$(BIN)/python -m requirements.install dev

.venv/tools/.%: requirements/%.txt .venv/.bootstrap
	@$(BIN)/python -m requirements.install $*

.venv/tools/.ssb: bridge/peer/package-lock.json bridge/peer/package.json bridge/install.py clients/web/node.py requirements/node.txt .venv/.bootstrap
	@$(BIN)/python -m bridge.install
