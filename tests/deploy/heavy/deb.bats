#!/usr/bin/env bats
# The Debian package: lintian has nothing to say, it is used from where it was unpacked, and comes and goes in a fresh Debian.
load ../../helpers

setup_file() {
  local program
  for program in dpkg-buildpackage dh lintian; do
    type -P "$program" >/dev/null || { lacking "$program" || return; }
  done
  export DEB=$BATS_FILE_TMPDIR/deb
  timeout -s KILL 250 "$BATS_TEST_DIRNAME/../../../scripts/build-deb" "$DEB"
  PACKAGE=$(echo "$DEB"/winord_*.deb)
  export PACKAGE
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  # shellcheck disable=SC2034 # records reads it
  LOG=$PWD/journal
}

@test "lintian is silent, down to the pedantic" {
  run timeout -s KILL 200 lintian --allow-root --display-info --pedantic "$DEB"/winord_*.changes
  equals '' "$output"
}

@test "unpacked anywhere, the command works: libraries beside it, manuals, policies" {
  dpkg-deb -x "$PACKAGE" root
  printf '[winord]\nversion = 1\n[rule all]\nordering = relaxed\naccept-hazard = yes\n' >policy.conf
  WINORD_FACTS=none run --separate-stderr root/usr/bin/winord run -c policy.conf -o journal -- "$CLIENT" plt reg=2
  printed 'register result=0 flags=0x0 win=set errno=0'
  equals '"rewritten"' "$(records register .verdict)"
  WINORD_FACTS=none run root/usr/bin/winord run --observe -o journal -- true
  equals 0 "$status"
  root/usr/bin/winord check root/usr/share/winord/examples/*.conf
  [[ -e root/usr/share/man/man1/winord.1.gz && -e root/usr/share/zsh/vendor-completions/_winord ]]
}

@test "the command is hardened, the libraries are as make makes them" {
  dpkg-deb -x "$PACKAGE" root
  readelf -lW root/usr/lib/winord/winord | grep -q GNU_RELRO
  readelf -dW root/usr/lib/winord/winord | grep -q BIND_NOW
  for library in root/usr/lib/winord/*.so; do
    run readelf -lWd "$library"
    [[ $output != *GNU_RELRO* && $output != *BIND_NOW* && $output != *INIT_ARRAY* ]]
  done
}

@test "it depends on libc alone, and its service is enabled but not started by the installation" {
  [[ $(dpkg-deb -f "$PACKAGE" Depends) =~ ^libc6\ \(\>=\ [0-9.]+\)$ ]]
  dpkg-deb --ctrl-tarfile "$PACKAGE" | tar -x
  grep -q "deb-systemd-helper enable 'winord-facts.service'" postinst
  run grep -E 'systemctl|deb-systemd-invoke|invoke-rc.d' postinst
  equals '' "$output"
}
