#!/usr/bin/env bats
# What became of a window's ordering, from the registrations that NCCL makes of its memory: an NCCL stand-in with the real one's
# order of calls and its cache, over a libibverbs stand-in.

# shellcheck disable=SC2154 # set by bats
load ../helpers

setup() {
  setup_shim
  unset WINORD_CONF
  OBSERVE=$WINORD_BUILD/tests/observe
  export NCCL_IBVERBS_LIB=$WINORD_BUILD/libwinord-verbs.so
  export LD_LIBRARY_PATH=$OBSERVE/stub
}

# observed OPERATION...: the client on the NCCL that observes; NCCL_COPY: another one.
observed() {
  shim "$CLIENT_DL" "handle:$OBSERVE/${NCCL_COPY:-2.30.7}/libnccl.so.2" "$@"
  equals 0 "$status"
}

# effects: a line each: register or effect, its word, why, and how many relaxed and strict.
effects() {
  jq -r 'select(.effect) | "\(.event) \(.effect) \(.effect_why) \(.mrs_relaxed)/\(.mrs_strict)"' "$LOG"
}

@test "GIN first, by the proxy: a strict window is strict, a relaxed one relaxed" {
  observed devcomm=1 reg=2 dereg reg=0 dereg
  equals $'register strict address 0/1\nregister relaxed address 1/0' "$(effects)"
}

@test "window before GIN: nothing is registered by then, and the device communicator says what came" {
  observed reg=2 devcomm=1
  equals $'register unseen none 0/0\neffect strict address 0/1' "$(effects)"
  equals "$(records register .seq)" "$(records effect .of)"
  equals '[3,16,3,1]' "$(records effect '[.rank, .nranks, .device, .comm_seq]')"
}

@test "window before GIN, with host RMA: the strict window has a relaxed registration, and the cache keeps it" {
  FAKE_NCCL_RMA=1 observed reg=2 devcomm=1
  equals 'register relaxed address 1/0' "$(effects)"
  equals '[2,"strict"]' "$(records register '[.flags_out, .asked]')"
}

@test "GIN first, with host RMA: the cache gives host RMA the strict one" {
  FAKE_NCCL_RMA=1 observed devcomm=1 reg=2
  equals 'register strict address 0/1' "$(effects)"
}

@test "a second window of the same memory: cached, with the first one's ordering" {
  observed devcomm=1 reg=0 reg=2
  equals $'register relaxed address 1/0\nregister cached earlier_relaxed 1/0' "$(effects)"
  rm "$LOG"
  observed devcomm=1 reg=2 reg=0
  equals $'register strict address 0/1\nregister cached earlier_strict 0/1' "$(effects)"
}

@test "what is undone counts no more" {
  observed devcomm=1 reg=0 dereg reg=2
  equals $'register relaxed address 1/0\nregister strict address 0/1' "$(effects)"
}

@test "what could not be undone still counts" {
  STUB_DEREG_FAILS=1 observed devcomm=1 reg=0 dereg reg=2
  equals $'register relaxed address 1/0\nregister mixed address 1/1' "$(effects)"
}

@test "two devices that agree" {
  STUB_NICS=2 observed devcomm=1 reg=2
  equals 'register strict address 0/2' "$(effects)"
}

@test "two devices that differ: mixed" {
  STUB_NICS=2 FAKE_NCCL_USER_BUFFER=1 observed devcomm=1 reg=2
  equals 'register mixed address 1/1' "$(effects)"
}

@test "GDAKI gives no address: what the window's own call made is the window's" {
  FAKE_NCCL_GIN=gdaki observed devcomm=1 reg=2 dereg reg=0
  equals $'register strict call 0/1\nregister relaxed call 1/0' "$(effects)"
}

@test "GDAKI with host RMA: two registrations that differ" {
  FAKE_NCCL_GIN=gdaki FAKE_NCCL_RMA=1 observed devcomm=1 reg=2
  equals 'register mixed call 1/1' "$(effects)"
}

@test "GDAKI, window first: what the device communicator makes without an address may be any window's" {
  FAKE_NCCL_GIN=gdaki observed reg=2 devcomm=1
  equals $'register unseen none 0/0\neffect unseen no_address 0/0' "$(effects)"
}

@test "GDAKI, window first, with host RMA: the relaxed registration is doubted" {
  FAKE_NCCL_GIN=gdaki FAKE_NCCL_RMA=1 observed reg=2 devcomm=1
  equals $'register relaxed address 1/0\neffect unseen no_address 1/0' "$(effects)"
}

@test "GDAKI while a window of a group is still to come: nothing is guessed" {
  FAKE_NCCL_GIN=gdaki observed devcomm=1 group reg=2 groupend reg=0
  equals 'register unseen none 0/0' "$(effects | head -n 1)"
  equals 'register unseen no_address 0/0' "$(effects | sed -n 2p)"
}

@test "by libmlx5, for data-direct: unseen" {
  FAKE_NCCL_GIN=direct observed devcomm=1 reg=2
  equals 'register unseen none 0/0' "$(effects)"
}

@test "an NCCL from before 2.30.3: unseen, which is said once" {
  NCCL_COPY=2.28.9 observed devcomm=1 reg=2 dereg reg=2
  equals $'register unseen nccl_before_2_30_3 0/0\nregister unseen nccl_before_2_30_3 0/0' "$(effects)"
  equals 'winord: NCCL 2.28.9 does not read NCCL_IBVERBS_LIB, as 2.30.3 and later do; no effect will be seen' "$stderr"
}

@test "an NCCL that uses no InfiniBand" {
  FAKE_NCCL_GIN=none observed devcomm=1 reg=2
  equals 'register unseen not_loaded 0/0' "$(effects)"
}

@test "a window of a group is looked at when it goes, at the latest with its communicator or the process" {
  for last in dereg destroy abort fds; do
    rm -f "$LOG"
    observed devcomm=1 group reg=2 groupend "$last"
    equals $'register unseen none 0/0\neffect strict address 0/1' "$(effects)"
  done
}

@test "a window that NCCL refuses has no effect" {
  shim "$CLIENT_DL" "handle:$FAKE/2.30.7/libnccl.so.2" nullcomm
  equals '[null,null,null,null]' "$(records register '[.effect, .effect_why, .mrs_relaxed, .mrs_strict]')"
}

@test "a rewritten window" {
  export WINORD_CONF=$BATS_TEST_TMPDIR/policy.conf
  observed devcomm=1 reg=2
  equals '["rewritten",0,"relaxed"]' "$(records register '[.verdict, .flags_out, .effect]')"
}

@test "a forked child says nothing of its parent's windows" {
  observed reg=2 fork devcomm=1 quit=0
  equals 'register unseen none 0/0' "$(effects | grep register)"
  equals '1' "$(records effect .pid | sort -u | wc -l)"
  equals "$(records register .pid)" "$(records effect .pid)"
}

@test "threads and forks" {
  observed devcomm=1 threads=8,100
  equals 800 "$(records register | wc -l)"
  equals '' "$(records register '.effect' | grep -vE 'strict|cached' || true)"
  rm "$LOG"
  observed devcomm=1 forks=20
  says_forks=$(grep forks <<<"$output")
  equals 'forks failed=0' "$says_forks"
}

@test "nothing is observed, and no field is there, without the variable or without a journal" {
  (unset NCCL_IBVERBS_LIB && observed devcomm=1 reg=2)
  equals '' "$(records register 'select(has("effect"))')"
  rm "$LOG"
  NCCL_IBVERBS_LIB=$OBSERVE/stub/libibverbs.so.1 observed devcomm=1 reg=2
  equals '' "$(records register 'select(has("effect"))')"
  equals 1 "$(records register | wc -l)"
  WINORD_LOG='' observed devcomm=1 reg=2
  equals '' "$stderr"
}

@test "a libibverbs without ibv_reg_mr_iova2: as NCCL does with it, nothing is relaxed" {
  LD_LIBRARY_PATH=$OBSERVE/old observed devcomm=1 reg=0
  equals 'register strict address 0/1' "$(effects)"
}
