# The newcomer's commands; `make help` lists them. CMake does the building (CMakePresets.json), this file
# only saves typing. What is missing on a Debian 12 machine is installed first (tools/install-deps).

TIER ?= quick
SHELL := /bin/bash

.PHONY: all test demo check install install-deps configure clean help
.DEFAULT_GOAL := all

all: configure ## build the programs into build/bin/
	@cmake --build build --target cuzk cuzk-bench
	@echo "built: build/bin/cuzk and build/bin/cuzk-bench   (try: build/bin/cuzk-bench --help)"

test: configure ## build and run the tests; TIER=quick (default), full (adds long ones) or gpu
	@case $(TIER) in quick|full|gpu) ;; *) echo "TIER=$(TIER): quick, full or gpu"; exit 2 ;; esac
	@cmake --build build
	@tools/run-tests build $(TIER)

demo: all ## prove a real 2 KiB sector, refuse a changed bit, then prove all four kinds through the daemon
	@tools/demo

check: ## everything a change must pass before review: tools/check
	@tools/check

PREFIX ?= /usr/local
INTO = $(DESTDIR)$(PREFIX)
install: ## install what `make` has built, man pages and the systemd unit (PREFIX=/usr/local, DESTDIR=)
	@test -x build/bin/cuzk || { echo "run make first (not as root)"; exit 1; }
	install -Dm755 -t $(INTO)/bin build/bin/cuzk build/bin/cuzk-bench
	if [ -f build/bin/libcuzk-cuda.so ]; then install -Dm644 -t $(INTO)/lib build/bin/libcuzk-cuda.so; fi
	install -Dm644 -t $(INTO)/share/man/man1 docs/man/cuzk.1 docs/man/cuzk-bench.1
	install -Dm644 -t $(INTO)/share/man/man5 docs/man/cuzk.toml.5
	install -Dm644 dist/cuzk.sysusers $(INTO)/lib/sysusers.d/cuzk.conf
	install -d $(INTO)/lib/systemd/system
	sed 's|/usr/local/bin|$(PREFIX)/bin|' dist/cuzk.service >$(INTO)/lib/systemd/system/cuzk.service

install-deps: ## install the packages that building and testing need
	@tools/install-deps build

configure: install-deps
	@test -f build/build.ninja || cmake --preset release

clean: ## remove all build folders (the parameter cache in .cache/ stays)
	rm -rf build build-*/

help: ## this list
	@echo "make [command]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | sed 's/make all/make    /' | expand -t 22
