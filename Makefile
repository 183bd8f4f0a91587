# The front door: each target installs what it needs, then calls meson, ninja or a script in
# tools/. The release is built in build/, the others in build/asan, build/tsan and build/fuzz.

FUZZ_SECONDS ?= 30

.PHONY: help build run check test test-long bench format lint fuzz clean
.NOTPARALLEL:

help:
	@echo 'make build       build the program: build/tine'
	@echo 'make run         build, then start the server on http://127.0.0.1:8463'
	@echo 'make check       the fast tests on the release build (under two minutes)'
	@echo 'make test        everything: source rules, gcc and clang builds, all tests under'
	@echo '                 ASan, UBSan and leak checks, the threaded ones under TSan'
	@echo 'make test-long   the long tests'
	@echo 'make bench       print the performance table'
	@echo 'make format      lay out the C files with clang-format'
	@echo 'make lint        source rules, clang-format (dry run) and clang-tidy'
	@echo 'make fuzz        run each fuzz target for FUZZ_SECONDS ($(FUZZ_SECONDS))'
	@echo 'make clean       remove build/'

build:
	@tools/setup.sh build
	@tools/configure.sh build
	@ninja -C build tine

run: build
	@build/tine serve --demo

check:
	@tools/setup.sh build test
	@tools/test.sh 'build build' 'meson build --suite fast --no-suite long'

test:
	@tools/setup.sh build test
	@tools/test.sh \
	    'check layers tools/layers.sh' \
	    'check banned tools/banned.sh' \
	    'check format tools/format.sh --check' \
	    'build build' \
	    'build build/asan' \
	    'meson build/asan --no-suite long' \
	    'build build/tsan' \
	    'meson build/tsan --suite threads --no-suite long'

test-long:
	@tools/setup.sh build test
	@tools/test.sh 'build build' 'meson build --suite long'

bench:
	@tools/setup.sh build bench
	@tools/nginx.sh
	@tools/configure.sh build
	@ninja -C build tine tests/bench/bench
	@TINE=build/tine build/tests/bench/bench
	@TINE=build/tine NGINX=build/nginx/usr/sbin/nginx python3 tests/bench/edge.py
	@TINE=build/tine python3 tests/bench/wires.py
	@TINE=build/tine python3 tests/bench/tui.py

format:
	@tools/setup.sh lint
	@tools/format.sh

lint: build
	@tools/setup.sh build lint
	@tools/layers.sh
	@tools/banned.sh
	@tools/format.sh --check
	@tools/tidy.sh

fuzz:
	@tools/setup.sh build fuzz
	@tools/configure.sh build/fuzz
	@ninja -C build/fuzz fuzz-targets
	@tools/fuzz.sh $(FUZZ_SECONDS)

clean:
	rm -rf build
