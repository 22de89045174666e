#!/usr/bin/env bats
# The page of --html: well-formed, loads nothing, and tells in numbers what -J tells.

load ../helpers

STRESS=$WINORD_BUILD/winord-stress

# hunted STATUS [OPTION...]: runs the hunter, and compares its page with its JSON.
hunted() {
  local wanted=$1
  shift
  cd "$BATS_TEST_TMPDIR" || return
  run --separate-stderr timeout -k 2 60 "$STRESS" --quiet -J run.json --html page.html "$@"
  equals "$wanted" "$status"
  same
}

# same: the page of the run before tells what its JSON tells.
same() {
  run python3 "$BATS_TEST_DIRNAME/page.py" "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/run.json"
  printed ""
}

# says TEXT: the page has it, as it stands in the file.
says() { grep -qF -- "$1" "$BATS_TEST_TMPDIR/page.html" || { echo "does not say: $1"; return 1; }; }

# says_not TEXT
says_not() { ! grep -qF -- "$1" "$BATS_TEST_TMPDIR/page.html" || { echo "says: $1"; return 1; }; }

@test "no violation: the bound, and that it is no safety" {
  hunted 0 --blocks 4 --seed 1 -n 200
  says "Zero of N is a bound, not safety."
  says "chance that a block has a violation"
  says "short run"
  says_not "no detector control"
}

@test "violations with witnesses, in thirty rows" {
  export WINORD_FABRIC_MODE=4
  hunted 1 -b 8 -e 4KiB -f 4 --blocks 9 --seed 7 -n 200 --flags both
  equals 30 "$(grep -c '^<tr class="[a-z ]*"><th scope="row">' "$BATS_TEST_TMPDIR/page.html")"
  says "<strong>channel-tail (default)</strong>"
  says "blocks with a violation, worst row"
  says "<code>WINORD_FABRIC_MODE=4</code>"
}

@test "a single row of a single size, without a control" {
  hunted 0 --scenario put+signal -b 8 -e 8 --blocks 400 -n 8 --seed 3
  says "no detector control"
  says_not "short run"
  says_not "<h2>Lateness</h2>"
  says_not "<h2>Witnesses</h2>"
}

@test "controls alone bound nothing" {
  hunted 0 --scenario signal-first --blocks 9 -n 200 --seed 3
  says "it is all controls, and bounds nothing"
}

@test "a detector control that is not seen is inconclusive, and said why" {
  hunted 2 --scenario put+signal,signal-first -b 8 --blocks 1 -w 0 -n 1 --seed "$(unseen)"
  says "wrong by construction, and not seen"
  says_not '<div class="bound">'
}

# unseen: a seed whose only block does not show signal-first.
unseen() {
  for ((seed = 1; seed < 200; seed++)); do
    [[ $("$STRESS" --quiet --scenario signal-first -b 8 --blocks 1 -w 0 -n 1 --seed $seed) == *"verdict: inconclusive"* ]] || continue
    echo $seed
    return
  done
}

@test "more sizes than stand side by side" {
  hunted 0 --scenario put+signal,signal-first -b 8 -e 16KiB -f 1.5 --blocks 30 -n 20 --seed 5
  equals 2 "$(grep -c 'aria-label="Violation rate of each scenario' "$BATS_TEST_TMPDIR/page.html")"
  equals 2 "$(grep -c 'aria-label="Violation rate of each pattern' "$BATS_TEST_TMPDIR/page.html")"
}

@test "words of nobody, and signals that never came" {
  hunted 1 --scenario put+signal --mutant foreign-payload --blocks 9 -n 200 --seed 2
  says ", got "
  says "words of another source, slot or place, or of nobody"
  hunted 1 --scenario put+signal --mutant dropped-signal --blocks 9 -n 200 --seed 2
  says "the signal never came"
  says "<dt>Planted fault</dt><dd>dropped-signal</dd>"
}

@test "an interrupted run says so" {
  cd "$BATS_TEST_TMPDIR"
  run --separate-stderr timeout -s INT -k 30 1 "$STRESS" --quiet --seconds 60 -J run.json --html page.html
  same
  says '<span class="tag">interrupted</span>'
}

@test "what the user names is escaped, for the page and for the shell" {
  export WINORD_CONF=$'<b>&"\x01\xff\xc3\xa9'
  cd "$BATS_TEST_TMPDIR"
  local name="it's <i>&amp;.json"
  run --separate-stderr "$STRESS" --quiet --scenario put+signal --blocks 2 -n 8 -J "$name" --html page.html
  equals 0 "$status"
  mv "$name" run.json
  same
  says $'WINORD_CONF=&lt;b&gt;&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9'
  says "--replay &#39;it&#39;\\&#39;&#39;s &lt;i&gt;&amp;amp;.json&#39;"
}

@test "without JSON, how to get one and replay it" {
  cd "$BATS_TEST_TMPDIR"
  run --separate-stderr "$STRESS" --quiet --scenario put+signal --blocks 2 -n 8 --seed 11 --html page.html
  equals 0 "$status"
  says "winord-stress --seed 11 --ranks 4 --pattern mixed -n 8 -J run.json"
  says "winord-stress --replay run.json"
}

@test "a page that cannot be written is a mistake" {
  run --separate-stderr "$STRESS" --quiet --scenario put+signal --blocks 2 -n 8 --html /nowhere/page.html
  equals "winord-stress: /nowhere/page.html: No such file or directory" "$stderr"
  equals 2 "$status"
  run --separate-stderr "$STRESS" --quiet --scenario put+signal --blocks 2 -n 8 --html /dev/full
  equals "winord-stress: /dev/full: No space left on device" "$stderr"
  equals 2 "$status"
}

@test "page.py sees a broken page" {
  local page=$BATS_TEST_TMPDIR/page.html
  for body in '<p>' '<img src="a.png"/>' '<p style="background:url(a.png)">a</p>' '<a href="https://example.org">a</a>'; do
    echo "<html><body>$body</body></html>" >"$page"
    run python3 "$BATS_TEST_DIRNAME/page.py" "$page"
    equals 1 "$status"
  done
}
