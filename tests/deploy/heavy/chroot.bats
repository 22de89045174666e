#!/usr/bin/env bats
# The Debian package in a fresh Debian: WINORD_CHROOT, or one that debootstrap makes.
# shellcheck disable=SC2016 # the inner shell expands it
load ../../helpers

setup_file() {
  local program
  [[ $(id -u) -eq 0 ]] || { lacking "root" || return; }
  for program in dpkg-buildpackage dh debootstrap; do
    type -P "$program" >/dev/null || { lacking "$program" || return; }
  done
  export ROOT=${WINORD_CHROOT:-$BATS_FILE_TMPDIR/root}
  [[ -d $ROOT ]] || timeout -s KILL 220 debootstrap --variant=minbase bookworm "$ROOT" >"$BATS_FILE_TMPDIR/log" 2>&1
  timeout -s KILL 200 "$BATS_TEST_DIRNAME/../../../scripts/build-deb" "$BATS_FILE_TMPDIR/deb"
  cp "$BATS_FILE_TMPDIR"/deb/winord_*.deb "$ROOT/root/winord.deb"
}

# inside LINE: a shell's line in there, with a /proc of its own that goes with it.
inside() {
  # shellcheck disable=SC2016 # that shell expands it
  timeout -s KILL 60 unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" sh -ec "$1"' "$ROOT" "$1"
}

files() { (cd "$ROOT" && find etc usr var lib -xdev ! -path 'var/*/dpkg/*' ! -path 'var/log/*' ! -path '*/pip-cache/*' | sort); }

@test "installed, used, removed: nothing stays" {
  files >"$BATS_TEST_TMPDIR/before"
  inside 'dpkg -i /root/winord.deb'
  inside 'test "$(command -v winord)" = /usr/bin/winord; winord check /usr/share/winord/examples/*.conf'
  inside 'printf "[winord]\nversion = 1\n" >/etc/winord.conf; winord run -- sh -c "grep -q /usr/lib/winord/libwinord.so /proc/self/maps"'
  inside 'winord facts --write; grep -q boot-id /run/winord/facts.ini; test "$(stat -c %U:%a /run/winord/facts.ini)" = root:644'
  inside 'test -e /etc/systemd/system/multi-user.target.wants/winord-facts.service'
  inside 'rm -r /etc/winord.conf /run/winord; dpkg -P winord'
  files | diff "$BATS_TEST_TMPDIR/before" -
}
