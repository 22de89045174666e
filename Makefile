# winord. `make demo` shows it, `make check` tests it; each installs what it lacks, or says what to install.
.DEFAULT_GOAL := all
VERSION := 0.1.0
BUILD ?= build
PREFIX ?= /usr/local
CC ?= gcc
CFLAGS ?= -O2 -g
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
STANDARD := -std=gnu11 -DWINORD_VERSION='"$(VERSION)"'
# The folder of the build is in no file: two builds of one commit are the same.
REPRODUCIBLE := -ffile-prefix-map='$(CURDIR)'=.
ALL_CFLAGS = $(STANDARD) $(WARNINGS) $(CFLAGS) $(REPRODUCIBLE) -I. -MMD -MP
# Hidden, and free of anything that lives outside a function: what a preloaded library must be.
PIC_CFLAGS = $(ALL_CFLAGS) $(ATOMICS) -fPIC -fvisibility=hidden -fno-stack-protector
# Outlined atomics bring a constructor along.
ATOMICS := $(if $(filter aarch64,$(ARCH)),-mno-outline-atomics)
INIH_A ?= $(firstword $(wildcard $(shell $(CC) -print-file-name=libinih.a) /usr/lib/$(ARCH)-linux-gnu/libinih.a))
JANSSON_A ?= $(firstword $(wildcard $(shell $(CC) -print-file-name=libjansson.a)) -ljansson)

POLICY_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard policy/*.c))
SHIM_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard shim/*.c))
AUDIT_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard shim/audit/*.c))
DLSYM_OBJECT := $(BUILD)/shim/$(ARCH)/dlsym.o
CLI_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard cli/*.c facts/*.c report/*.c collect/*.c))

# -nostartfiles: no frame registration, no _init: nothing runs when the library is loaded.
# -z lazy: a program that never registers a window resolves none of our imports.
# -z noseparate-code, norelro: two mappings instead of four and a half, for every program that starts.
SHIM_LDFLAGS = -shared -nostartfiles -Wl,-z,lazy -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,noexecstack -Wl,-z,defs -Wl,--hash-style=gnu \
  -Wl,--build-id -Wl,--exclude-libs,ALL -Wl,--as-needed $(LDFLAGS)

.PHONY: all
all: $(BUILD)/libwinord.so $(BUILD)/libwinord-nodlsym.so $(BUILD)/libwinord-audit.so $(BUILD)/libwinord-verbs.so \
  $(BUILD)/winord $(BUILD)/winord-stress $(BUILD)/sim/libnccl.so.2 $(BUILD)/libwinord-fabric.so

$(BUILD)/libwinord.so: $(SHIM_OBJECTS) $(DLSYM_OBJECT) $(BUILD)/libpolicy.a shim/winord.map
	$(CC) $(SHIM_LDFLAGS) -Wl,--version-script=shim/winord.map -Wl,-soname,libwinord.so \
	  -o $@ $(SHIM_OBJECTS) $(DLSYM_OBJECT) $(BUILD)/libpolicy.a $(INIH_A)

$(BUILD)/libwinord-nodlsym.so: $(SHIM_OBJECTS) $(BUILD)/libpolicy.a shim/nodlsym.map
	$(CC) $(SHIM_LDFLAGS) -Wl,--version-script=shim/nodlsym.map -Wl,-soname,libwinord-nodlsym.so \
	  -o $@ $(SHIM_OBJECTS) $(BUILD)/libpolicy.a $(INIH_A)

$(BUILD)/libwinord-audit.so: $(SHIM_OBJECTS) $(AUDIT_OBJECTS) $(BUILD)/libpolicy.a shim/audit.map
	$(CC) $(SHIM_LDFLAGS) -Wl,--version-script=shim/audit.map -Wl,-soname,libwinord-audit.so \
	  -o $@ $(SHIM_OBJECTS) $(AUDIT_OBJECTS) $(BUILD)/libpolicy.a $(INIH_A)

$(BUILD)/libpolicy.a: $(POLICY_OBJECTS)
	rm -f $@
	$(AR) rcsD $@ $^

$(BUILD)/winord: $(CLI_OBJECTS) $(BUILD)/libpolicy.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJECTS) $(BUILD)/libpolicy.a $(INIH_A) $(JANSSON_A) -ldl

$(BUILD)/shim/%.o: shim/%.c
	@mkdir -p $(@D)
	$(CC) $(PIC_CFLAGS) -D_GNU_SOURCE -c -o $@ $<

$(BUILD)/shim/%.o: shim/%.S
	@mkdir -p $(@D)
	$(CC) $(PIC_CFLAGS) -c -o $@ $<

$(BUILD)/policy/%.o: policy/%.c
	@mkdir -p $(@D)
	$(CC) $(PIC_CFLAGS) -c -o $@ $<

define cli_objects
$$(BUILD)/$(1)/%.o: $(1)/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) -c -o $$@ $$<
endef
$(foreach folder,cli facts report collect,$(eval $(call cli_objects,$(folder))))

include bench/fabric/fabric.mk
include bench/plugin/plugin.mk
include observe/observe.mk
include bench/stress/stress.mk
include bench/gpu/gpu-bench.mk

include deploy/deploy.mk

include tests/tests.mk

.PHONY: demo
demo:
	@scripts/setup build
	@$(MAKE) --no-print-directory -s all
	@BUILD='$(BUILD)' scripts/demo

.PHONY: bench
bench:
	@scripts/setup build
	@$(MAKE) --no-print-directory -s all
	@BUILD='$(BUILD)' CC='$(CC)' bench/overhead/check

.PHONY: dist reproducible
dist:
	@scripts/dist '$(BUILD)/dist'
reproducible:
	@tests/systems/two-builds

# On a machine with a GPU, nvcc and PyTorch. OUT: where the journals and the summaries go.
OUT ?= $(BUILD)/gpu-results
.PHONY: check-gpu
check-gpu: all
	@mkdir -p '$(BUILD)/carry' '$(OUT)'
	@ln -sfn "$$(scripts/fetch-nccl 2.32.3)" '$(BUILD)/carry/nccl-2.32.3'
	@$(MAKE) --no-print-directory NCCL_HOME='$(BUILD)/carry/nccl-2.32.3' gpu
	@tests/gpu/stress '$(BUILD)/carry' '$(OUT)/stress'
	@tests/gpu/run '$(BUILD)/carry' '$(OUT)/windows'

.PHONY: lint
lint:
	@scripts/setup lint
	@scripts/lint
	@$(MAKE) --no-print-directory -s fuzz-targets # run by hand, and must build all the same

.PHONY: install
install: all
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/lib' '$(DESTDIR)$(PREFIX)/share/winord/examples' \
	  '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/man/man5' '$(DESTDIR)$(PREFIX)/share/man/man7'
	install -m 755 $(BUILD)/winord $(BUILD)/winord-stress '$(DESTDIR)$(PREFIX)/bin/'
	install -m 644 $(BUILD)/libwinord.so $(BUILD)/libwinord-nodlsym.so $(BUILD)/libwinord-audit.so $(BUILD)/libwinord-verbs.so \
	  $(wildcard $(BUILD)/winord-stress-gpu.so) '$(DESTDIR)$(PREFIX)/lib/'
	install -m 644 policy/examples/*.conf '$(DESTDIR)$(PREFIX)/share/winord/examples/'
	for page in man/winord.1 man/winord-stress.1 man/winord.conf.5 man/libwinord.7; do \
	  install -m 644 "$$page" "$(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/" || exit 1; done

.PHONY: clean
clean:
	rm -rf '$(BUILD)'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
