#!/usr/bin/env bats
# What is remembered of a communicator, and forgotten with it.

load ../helpers
setup() { setup_shim; }

@test "rank, number of ranks and device are NCCL's" {
  shim "$CLIENT" plt comm=5/32 reg=2
  equals '[5,32,5]' "$(records register '[.rank, .nranks, .device]')"
}

@test "comm_seq numbers the communicators of the process" {
  shim "$CLIENT" plt reg=2 reg=2 comm=1/4 reg=2
  equals '1
1
2' "$(records register .comm_seq)"
}

@test "an address that is reused after ncclCommDestroy is another communicator" {
  shim "$CLIENT" plt reg=2 destroy comm=7/8 reg=2
  equals '[1,3,16]
[2,7,8]' "$(records register '[.comm_seq, .rank, .nranks]')"
}

@test "an address that is reused after ncclCommAbort is another communicator" {
  shim "$CLIENT" plt reg=2 abort comm=7/8 reg=2
  equals '[1,3]
[2,7]' "$(records register '[.comm_seq, .rank]')"
}

@test "a communicator destroyed by a function from dlsym is forgotten too" {
  shim "$CLIENT_DL" "handle:$NCCL" reg=2 destroy comm=7/8 reg=2
  equals '[1,3]
[2,7]' "$(records register '[.comm_seq, .rank]')"
}

@test "gin_connection is the device communicator's" {
  shim "$CLIENT" plt reg=2 devcomm=1 reg=2
  equals '"unknown"
"full"' "$(records register .gin_connection)" || equals 'null
"full"' "$(records register .gin_connection)"
}

@test "every connection type has its name" {
  for type in 0:none 1:full 2:rail 3:custom; do
    rm -f "$LOG"
    shim "$CLIENT" plt "devcomm=${type%:*}" reg=2
    equals "\"${type#*:}\"" "$(records register .gin_connection)"
  done
}

@test "a device communicator that NCCL refused is no connection" {
  shim "$CLIENT" plt reg=2 nodevcomm=1 reg=2 devcomm=2 reg=2
  equals "devcomm result=4" "${lines[1]}"
  equals '[null,null,"rail"]' "$(records register .gin_connection | jq -sc .)"
}

@test "gin_connection is unknown when the device communicators differ" {
  shim "$CLIENT" plt devcomm=1 devcomm=2 reg=2
  [[ $(records register .gin_connection) == '"unknown"' || $(records register .gin_connection) == null ]] || { show; false; }
}

@test "gin_connection is forgotten with the communicator" {
  shim "$CLIENT" plt devcomm=1 reg=2 destroy comm=0/2 reg=2
  equals '"full"' "$(records register .gin_connection | head -1)"
  [[ $(records register .gin_connection | tail -1) != '"full"' ]] || { show; false; }
}

@test "a rule can ask for the connection that was seen" {
  printf '[winord]\nversion = 1\n[rule full]\ngin-connection = full\nordering = relaxed\naccept-hazard = yes\n' >"$WINORD_CONF"
  shim "$CLIENT" plt reg=2 devcomm=1 reg=2
  printed "register result=0 flags=0x2 win=set errno=0" "devcomm result=0 errno=0" \
    "register result=0 flags=0x0 win=set errno=0"
}

@test "a device communicator is observed, and changes nothing" {
  shim "$CLIENT" plt devcomm=2 devdestroy
  printed "devcomm result=0 errno=0" "devdestroy result=0"
  equals 1 "$(records devcomm | wc -l)"
}

@test "more communicators than any table holds" {
  local operations=(reg=2)
  for i in {1..50}; do
    operations+=("comm=$i/64" reg=2)
  done
  shim "$CLIENT" plt "${operations[@]}"
  equals 51 "$(grep -c 'result=0 flags=0x0' <<<"$output")"
  equals 51 "$(records register | wc -l)"
}
