#!/usr/bin/env bats
# What stands in the journal: JSON Lines, one write a record.

load ../helpers
setup() { setup_shim; }

@test "every line is one JSON object, and \"v\":1 comes first" {
  shim "$CLIENT" plt reg=2 devcomm=1 dereg reg=0 destroy
  jq -e -n '[inputs] | all(.[]; type == "object")' "$LOG" >/dev/null
  equals "$(wc -l <"$LOG")" "$(grep -c '^{"v":1,"event":"' "$LOG")"
  equals "$(wc -l <"$LOG")" "$(jq -c . "$LOG" | wc -l)"
}

@test "the records of a run, in order" {
  shim "$CLIENT" plt reg=2 devcomm=1 dereg
  equals '["start","register","devcomm","deregister","exit"]' "$(journal .event | jq -sc .)"
}

@test "a register record has every field of the design's example" {
  shim "$CLIENT" plt reg=2
  local fields=(v event ts host pid tid rank nranks device exe caller nccl nccl_path route size flags_in flags_out asked
    ordering verdict why rule where pool pci_atomic_mode pci_atomic_source gin_connection guard exposure warning result
    win_null elapsed_ns seq lost run job step comm_seq)
  for field in "${fields[@]}"; do
    equals "true" "$(records register "has(\"$field\")")" || { echo "field $field"; return 1; }
  done
}

@test "a register record says what was asked, decided and why" {
  shim "$CLIENT" plt reg=2,65536
  equals '[65536,2,0,"strict","relaxed","rewritten","rule","all","accepted"]' \
    "$(records register '[.size, .flags_in, .flags_out, .asked, .ordering, .verdict, .why, .rule, .guard]')"
  equals "\"$WINORD_CONF:4\"" "$(records register .where)"
}

@test "what is not known is null" {
  shim "$CLIENT" plt reg=2
  equals '[null,null,null,null,null,null]' \
    "$(records register '[.pool, .pci_atomic_mode, .pci_atomic_source, .run, .job, .step]')"
}

@test "the default's line is where, when no rule matched" {
  printf '[winord]\nversion = 1\ndefault = strict\n' >"$WINORD_CONF"
  shim "$CLIENT" plt reg=0
  equals "[null,\"$WINORD_CONF:3\",\"strict\",\"rewritten\"]" "$(records register '[.rule, .where, .ordering, .verdict]')"
}

@test "refused: the flags pass, and the record says why" {
  printf '[winord]\nversion = 1\n[rule r]\nordering = relaxed\n' >"$WINORD_CONF"
  shim "$CLIENT" plt reg=2
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '["refused",2,2,null,"string"]' "$(records register '[.verdict, .flags_in, .flags_out, .guard, (.why | type)]')"
}

@test "strict where it can have no effect: carried out, with a warning" {
  policy strict
  LD_LIBRARY_PATH=$FAKE/2.28.9 shim "$CLIENT" plt reg=0
  printed "register result=0 flags=0x2 win=set errno=0"
  equals '["rewritten","2.28.9","string"]' "$(records register '[.verdict, .nccl, (.warning | type)]')"
}

@test "exposure is possible where a window stays relaxed on a host whose mode is not known" {
  policy keep
  shim "$CLIENT" plt reg=0 reg=2
  equals '["possible","none"]' "$(records register .exposure | jq -sc .)"
}

@test "the start record: version, policy and digest, pool, facts, copies" {
  shim "$CLIENT" plt reg=2
  [[ $(records start .winord) =~ ^\"[0-9]+\.[0-9]+ ]]
  [[ $(records start) == *"$WINORD_CONF"* && $(records start) == *digest* && $(records start) == *facts* ]] || { show; false; }
}

@test "the pool and how it was found" {
  printf '[winord]\nversion = 1\n[pool a]\nhosts = *\n' >"$WINORD_CONF"
  WINORD_POOL=a shim "$CLIENT" plt reg=2
  equals '"a"' "$(records register .pool)"
  [[ $(records start) == *'"WINORD_POOL"'* ]] || { show; false; }
}

@test "a stale pool from the environment is ignored, with a warning" {
  printf '[winord]\nversion = 1\n[pool a]\nhosts = no-such-host\n[pool b]\nhosts = *\n' >"$WINORD_CONF"
  WINORD_POOL=a shim "$CLIENT" plt reg=2
  equals '[null,"pool_mismatch"]' "$(records register '[.pool, .warning]')"
}

@test "Slurm's partition is the pool, and its job and step stand in the records" {
  printf '[winord]\nversion = 1\n[pool part]\nhosts = *\n' >"$WINORD_CONF"
  SLURM_JOB_PARTITION=part SLURM_JOB_ID=4711 SLURM_STEP_ID=2 shim "$CLIENT" plt reg=2
  equals '"part"' "$(records register .pool)"
  equals '["4711","2"]' "$(records register '[(.job | tostring), (.step | tostring)]')"
}

@test "winord run's id stands in the records" {
  WINORD_RUN=abc123 shim "$CLIENT" plt reg=2
  equals '["abc123","abc123","abc123"]' "$(journal .run | jq -sc .)"
}

@test "names with quotes, backslashes, control characters and bytes that are no UTF-8" {
  local name
  name=$(printf 'a"b\\c\td\001e\377f')
  cp "$FAKE/client-dl" "$BATS_TEST_TMPDIR/$name"
  shim "$BATS_TEST_TMPDIR/$name" "handle:$NCCL" reg=2
  equals 0 "$status"
  equals 1 "$(records register | wc -l)"
  [[ $(records register .exe) == *'a\"b\\c\td'* ]] || { show; false; }
  iconv -f UTF-8 -t UTF-8 "$LOG" >/dev/null
}

@test "a path of 3900 bytes" {
  local folder=$BATS_TEST_TMPDIR
  for _ in {1..19}; do
    folder+=/$(printf 'd%.0s' {1..200})
    mkdir "$folder"
  done
  cp "$FAKE/client-dl" "$folder"
  shim "$folder/client-dl" "handle:$NCCL" reg=2
  printed "register result=0 flags=0x0 win=set errno=0"
  equals '"rewritten"' "$(records register .verdict)"
}

@test "no torn line with 8 threads and 1000 registrations each, and seq has no gap" {
  shim "$CLIENT" plt threads=8,1000
  equals "$(wc -l <"$LOG")" "$(grep -c '^{"v":1,.*}$' "$LOG")"
  jq -s -e '(map(.seq) | sort) == [range(1; length + 1)]' "$LOG" >/dev/null || { echo "gap in seq"; false; }
  equals 0 "$(jq -s 'map(.lost) | max' "$LOG")"
}

@test "several processes write one journal without tearing a line" {
  export LD_PRELOAD=$SHIM
  for _ in 1 2 3 4; do
    "$CLIENT" plt threads=2,200 >/dev/null &
  done
  wait
  unset LD_PRELOAD
  equals "$(wc -l <"$LOG")" "$(grep -c '^{"v":1,.*}$' "$LOG")"
  equals 1600 "$(records register | wc -l)"
}

@test "each record is one write" {
  command -v strace >/dev/null || lacking "strace"
  run strace -f -e trace=openat,write,writev -o "$BATS_TEST_TMPDIR/trace" env LD_PRELOAD="$SHIM" "$CLIENT" plt reg=2 reg=2
  [[ $status -eq 0 ]] || lacking "permission to trace"
  equals "$(wc -l <"$LOG")" "$(grep -cE 'writev?\(.*\\"v\\":1|\{\\"v\\":1' "$BATS_TEST_TMPDIR/trace")"
  equals "$(wc -l <"$LOG")" "$(grep -c "openat.*$LOG.*O_APPEND" "$BATS_TEST_TMPDIR/trace")"
}

@test "the time is UTC, whatever TZ says" {
  TZ=Asia/Tokyo shim "$CLIENT" plt reg=2
  local now stamp
  now=$(date -u +%s)
  stamp=$(date -u -d "$(records register .ts | tr -d '"')" +%s)
  [[ $((now - stamp)) -ge 0 && $((now - stamp)) -lt 120 ]] || { show; false; }
  [[ $(records register .ts) =~ ^\"[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z\"$ ]]
}
