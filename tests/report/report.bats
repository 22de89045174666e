#!/usr/bin/env bats
# winord report: what stands in journals, and what does not.

# shellcheck disable=SC2154,SC2016 # set by bats; jq's variables
load ../cli/common

setup() {
  setup_cli
  LINE=$BATS_TEST_DIRNAME/line
}

# report ARGUMENT...: winord report; json FILTER: of its --json, as one compact line.
report() { winord report "$@"; }
json() { jq -c "$1" <<<"$output"; }

# gave FILTER WANTED
gave() { equals "$2" "$(json "$1")"; }

# rewritten SEQ [FIELD=JSON]...; refused SEQ [FIELD=JSON]...
rewritten() {
  local seq=$1
  shift
  "$LINE" register seq="$seq" "$@"
}
refused() {
  local seq=$1
  shift
  "$LINE" register seq="$seq" flags_out=2 'verdict="refused"' 'why="mode_unknown"' guard=null pci_atomic_mode=null \
    pci_atomic_source=null "$@"
}

@test "a run under the library: decisions, rule, policy, facts; nothing lost" {
  setup_shim
  local _
  for _ in 1 2; do
    preloaded "$CLIENT" plt reg=2,65536 reg=2 reg=0 devcomm=1 dereg >/dev/null
  done
  report "$LOG"
  exits 0
  silent
  says '2 processes, 6 registrations'
  [[ $output =~ 4\ +strict\ +default\ +rewritten\ +rule\ +all\ +accepted\ +accepted\ +1: ]]
  says "$WINORD_CONF:4"
  says 'lost records: none'
  says 'copies of NCCL that were not covered: none'
  report --json "$LOG"
  gave '.read | [.records, .damaged.count, .duplicates]' "[$(wc -l <"$LOG"),0,0]"
  gave '.jobs[0] | [.processes, .without_exit, .windows, .policies_differ]' '[2,0,6,false]'
  gave '[.jobs[0].registrations[] | select(.guard == "accepted") | .count] | add' 4
}

@test "hosts by decisions, folded; refusals and exposure with pool and mode" {
  for n in 1 2 3 10; do rewritten 1 host="\"h$n\""; done >log
  refused 1 'host="h11"' >>log
  "$LINE" register seq=1 'host="h12"' flags_in=0 'verdict="passed"' guard=null pci_atomic_mode=4 'exposure="possible"' >>log
  report log
  exits 0
  says '4: h[1-3,10]'
  [[ $output =~ refused$'\n'.*1\ +mode_unknown\ +r\ +p\ +-\ +1:\ h11 ]]
  [[ $output =~ exposure:[^$'\n']*$'\n'[^$'\n']*$'\n'\ +1\ +default\ +r\ +-\ +p\ +4\ +mstconfig\ +1:\ h12 ]]
}

@test "a window that NCCL refused is no exposure" {
  rewritten 1 'exposure="possible"' result=5 >log
  report log
  says 'known to be 0: none'
  says failed
}

@test "gaps in seq, and what processes say they lost" {
  { rewritten 1; rewritten 3; rewritten 7 lost=2; rewritten 1 pid=43; } >log
  report --json log
  gave '.jobs[0].lost_records' \
    '{"missing":4,"lost":2,"processes":[{"host":"h1","pid":42,"step":"0","missing":4,"gaps":[[2,2],[4,6]],"lost":2}]}'
  report log
  says 'lost records: 4 missing (gaps in seq), 2 lost as the processes say, of 1 process'
  says 'h1 pid 42: 4 missing, seq 2, 4-6; it says it lost 2'
}

@test "rotated logs, compressed, in any order: no gap" {
  for n in 1 2 3 4 5 6; do rewritten $n; done >whole
  mkdir logs
  sed -n 1,2p whole | gzip >logs/journal.2.gz
  sed -n 3,4p whole | zstd -q >logs/journal.1.zst
  sed -n 5,6p whole >logs/journal
  report --json logs
  exits 0
  gave '[.read.files, .jobs[0].windows, .jobs[0].lost_records.missing]' '[3,6,0]'
  report --json logs/journal.2.gz 'logs/*.zst' - <logs/journal
  gave '[.read.files, .jobs[0].windows, .jobs[0].lost_records.missing]' '[3,6,0]'
  report --json - < <(cat logs/journal.2.gz)
  gave '[.jobs[0].windows]' '[2]'
}

@test "a process with the id of one before is another" {
  { "$LINE" start; rewritten 2; "$LINE" start 'ts="2026-11-30T16:00:00.000000Z"'
    rewritten 2 'ts="2026-11-30T16:00:01.000000Z"'; rewritten 5 'ts="2026-11-30T16:00:01.000000Z"'; } >log
  report --json log
  gave '[.jobs[0].processes, .read.duplicates, .jobs[0].lost_records.missing]' '[2,0,2]'
}

@test "records that are read twice are said, and not counted again; a file that is named twice is read once" {
  { "$LINE" start; rewritten 2; } >log
  cp log copy
  report --json log copy ./log
  exits 0
  gave '[.read.duplicates, .read.same_files, .jobs[0].windows]' '[2,1,1]'
  report log copy
  says 'records there already, and not counted again'
}

@test "damaged lines are counted and shown, with file and line, and the rest is read" {
  { rewritten 1; echo '{"v":1,"event":'; echo; echo '{"a":1}'; echo '[1]'; rewritten 2 flags_out=null
    rewritten 3 pci_atomic_mode=9; rewritten 4 'ts="yesterday"'; head -c 200000 /dev/zero; echo; printf '\xff\xfe\n'
    rewritten 2 'host="h\u00e9"'; rewritten 5 | head -c 300; } >log
  report --json log
  exits 0
  gave '[.read.lines, .read.records, .read.damaged.count]' '[12,2,9]'
  gave '[.read.damaged.first[] | [.file, .line, .why]]' \
    '[["log",2,"not JSON"],["log",4,"not a record of winord"],["log",5,"not a JSON object"],["log",6,"no flags_out"],["log",7,"pci_atomic_mode is not 0 to 4"]]'
  report log
  exits 0
  says 'log:2: not JSON: {"v":1,"event":'
  says 'and 4 more'
  says 'hé'
}

@test "a last line that is cut short; one that only lacks its newline" {
  { rewritten 1; rewritten 2 | head -c 300; } >log
  report log
  exits 0
  says 'log:2: the file ends within this line'
  { rewritten 1; rewritten 2 | tr -d '\n'; } >log
  report --json log
  gave '[.read.records, .read.damaged.count]' '[2,0]'
}

@test "records of another version are said, not guessed; so are events that are not known" {
  { rewritten 1; rewritten 2 v=2; rewritten 3 v=2 host=5; "$LINE" future seq=2; } >log
  report --json log
  exits 0
  gave '[.jobs[0].windows, .read.other_versions, .read.other_events, .read.damaged.count]' '[1,{"2":2},{"future":1},0]'
  report log
  says 'records that are not read, being of version 2: 2'
  says 'records of an event that is not known: future: 1'
}

@test "a folder: files without records are named, not read as damaged" {
  mkdir -p logs/deep
  rewritten 1 >logs/deep/a
  seq 1000 >logs/b
  ln -s . logs/loop
  report --json logs
  exits 0
  gave '[.read.files, .read.no_journals, .read.damaged.count]' '[1,1,0]'
}

@test "what cannot be read is said, and the rest is read" {
  rewritten 1 >log
  gzip -c log | head -c 60 >half.gz
  report log nowhere 'no*.such' half.gz
  exits 1
  complains 'winord report: nowhere: No such file or directory'
  complains 'winord report: no*.such: no such file'
  complains 'winord report: half.gz: gzip cannot decompress all of it'
  says 'files that could not be read to their end: 3'
  says '1 registration'
  run --separate-stderr env --ignore-signal=CHLD "$WINORD" report half.gz
  exits 1
  complains 'gzip cannot decompress all of it'
}

@test "a decompressor that is not there is named" {
  rewritten 1 | zstd -q >log.zst
  run --separate-stderr env PATH=/nowhere "$WINORD" report log.zst
  exits 1
  complains 'log.zst: it is compressed, and zstd cannot be run'
}

@test "no record at all is an answer of its own" {
  : >log
  report log
  exits 1
  complains 'no record of winord in what was read'
}

@test "ranks of one communicator that differ" {
  { rewritten 1; refused 1 'host="h2"' rank=1; } >log
  report log
  says 'comm_seq: approximate)'
  says 'communicator 1 of 2 ranks, 1MiB: 1 asked strict, got default (h1 rank 0); 1 asked strict, got strict (h2 rank 1)'
  { rewritten 1; refused 1 'host="h2"' rank=1 size=5; } >log
  report --json log
  gave '.jobs[0].ranks_differ.communicators' '[]'
}

@test "windows that every rank asks both ways are no difference; one rank that asks otherwise is" {
  local asked=(flags_in=0 'verdict="passed"')
  { rewritten 1; rewritten 1 'host="h2"' rank=1
    rewritten 2 "${asked[@]}"; rewritten 2 'host="h2"' rank=1 "${asked[@]}"; } >log
  report --json log
  gave '.jobs[0].ranks_differ.communicators' '[]'
  { rewritten 1; rewritten 1 'host="h2"' rank=1 "${asked[@]}"; } >log
  report --json log
  gave '[.jobs[0].ranks_differ.communicators[].sides[].asked]' '["default","strict"]'
}

@test "policies that differ, uncovered copies, errors of the policy, effects" {
  { "$LINE" start; "$LINE" start 'host="h2"' 'policy_digest="fnv1a64:2"'; "$LINE" uncovered seq=2
    "$LINE" policy_error seq=3; rewritten 4 'effect="unseen"' 'effect_why="none"'; "$LINE" effect seq=5; } >log
  report log
  exits 0
  says 'policies that differ'
  says 'fnv1a64:2'
  says '/lib/other.so'
  says 'unknown key'
  [[ $output =~ 1\ +default\ +unseen\ +none ]]
  [[ $output =~ 1\ +relaxed\ +address ]]
}

@test "jobs apart, by job, else by run" {
  { rewritten 1 'job="8"' 'ts="2026-11-30T10:00:00.000000Z"'; rewritten 1; rewritten 1 job=null 'run="abc"'
    rewritten 1 job=null; } >log
  report --json log
  gave '[.jobs[] | [.job, .run, .windows]]' '[["8",null,1],["7",null,1],[null,"abc",1],[null,null,1]]'
}

@test "hosts without records" {
  { rewritten 1 'host="h1.cluster"'; rewritten 1 'host="h2"'; } >log
  printf 'h[1-4]\n# spare\n' >hosts
  report --hosts hosts log
  exits 0
  says 'hosts without records, of 4: 2: h[3-4]'
  report --hosts=hosts --json log
  gave .hosts_without_records '["h3","h4"]'
  report --json log
  gave .hosts_without_records null
  report --hosts=nowhere log
  exits 1
}

@test "what others wrote does no harm: terminal, page, table" {
  local name=$'"h\\u001b[2J\\u202e<b>&\\u009b"'
  rewritten 1 "host=$name" 'rule="=1+1"' 'pool="a,\"b"' >$'lo\eg'
  echo $'bad \e[31m' >>$'lo\eg'
  report $'lo\eg'
  exits 0
  says 'h\x1b[2J\xe2\x80\xae<b>&\xc2\x9b'
  says 'lo\x1bg:2: not JSON: bad \x1b[31m'
  [[ $output != *$'\e'* ]]
  report --csv $'lo\eg'
  says "\"'=1+1\""
  says '"a,""b"'
  winord report --html $'lo\eg'
  says '&lt;b&gt;&amp;'
  [[ $output != *$'\e'* && $output != *'<b>'* ]]
  report $'nowhere\e'
  complains 'nowhere\x1b: No such file'
}

@test "the page is well-formed and loads nothing" {
  { "$LINE" start; rewritten 2; refused 4 'host="h2"' rank=1; echo damaged; "$LINE" uncovered v=3; } >log
  echo 'h[1-3]' >hosts
  winord report --html --hosts hosts log
  exits 0
  echo "$output" >page.html
  run python3 "$BATS_TEST_DIRNAME/../html/page.py" page.html
  printed ''
}

@test "CSV: a line for each decision of a host" {
  { rewritten 1; rewritten 2; refused 1 'host="h2"'; } >log
  report --csv log
  exits 0
  equals $'job,run,host,pool,pci_atomic_mode,pci_atomic_source,asked,got,verdict,why,guard,rule,where,exposure,warning,outcome,nccl,effect,effect_why,windows,bytes\r' "${lines[0]}"
  equals $'7,,h1,p,0,mstconfig,strict,default,rewritten,rule,proved,r,/etc/winord.conf:4,none,,accepted,2.30.7,,,2,2097152\r' "${lines[1]}"
  equals 3 "${#lines[@]}"
}

@test "usage" {
  report
  usage_error report
  report --json --csv log
  usage_error report
  report --csv --hosts=a log
  usage_error report
  report --help
  exits 0
  says 'usage: winord report'
  rewritten 1 >log
  run --separate-stderr bash -c '"$1" report log >/dev/full' sh "$WINORD"
  exits 1
}

@test "five times faster than jq, and the same sums" {
  local ratio=5
  [[ -z ${SANITIZER-} ]] || ratio=0 # a sanitizer's speed is not ours
  run "$BATS_TEST_DIRNAME/bench" "$WINORD_BUILD" 4000 "$ratio"
  echo "$output"
  equals 0 "$status"
}
