# What the layers' makefiles share. `sam build` calls them at the repository root (WorkingDirectory
# in template.yaml), so paths are from there.
#
# LAYER_TARGET=lambda is Lambda's Python on arm64, lambda-x86_64 the same on the other processor,
# for `sam local` on most machines. Their wheels are taken as they are, so neither that Python nor
# that processor is needed here, nor Docker. LAYER_TARGET=host is .venv's Python, for an emulator
# that runs functions on this machine.
#
# Bytecode is shipped when the Python that will run it is at hand, because Lambda mounts layers
# read-only and would compile at every cold start. unchecked-hash: nothing there ever changes, and
# a timestamp would make two builds of the same source differ.

LAYER_TARGET ?= lambda
PLATFORM_lambda = --python-version 3.13 --python-platform aarch64-manylinux2014
PLATFORM_lambda-x86_64 = --python-version 3.13 --python-platform x86_64-manylinux2014
PLATFORM_host =
RUNTIME_lambda = $(shell python3.13 -c "import sys; print(sys.executable)" 2>/dev/null)
RUNTIME_lambda-x86_64 = $(RUNTIME_lambda)
RUNTIME_host = .venv/bin/python
TREE = $(ARTIFACTS_DIR)/python

# $(call install_locked,NAME,OPTIONS): what requirements/NAME.txt locks, from the same hashes on
# every machine.
define install_locked
	@test -x .venv/bin/uv || { echo "There is no .venv/bin/uv: run make deploy, which installs it." >&2; exit 1; }
	.venv/bin/uv pip install --quiet --python .venv/bin/python $(PLATFORM_$(LAYER_TARGET)) \
	  --target "$(TREE)" --link-mode copy --no-deps --require-hashes \
	  --only-binary :all: $(2) -r requirements/$(1).txt
	find "$(TREE)" \( -name __pycache__ -o -name bin \) -type d -prune -exec rm -rf {} +
	rm -f "$(TREE)/.lock"
	$(compile)
endef

compile = $(if $(RUNTIME_$(LAYER_TARGET)),$(RUNTIME_$(LAYER_TARGET)) -m compileall -q --invalidation-mode unchecked-hash "$(TREE)")
