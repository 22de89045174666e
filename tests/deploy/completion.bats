#!/usr/bin/env bats
# TAB in bash and in zsh: commands, options, what options may be, pools of the policy, files, and the program's own completion.
# shellcheck disable=SC2016 # the inner shells expand it
load ../helpers

COMPLETIONS=$BATS_TEST_DIRNAME/../../completions

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir bin zsh rc
  ln -s "$WINORD_BUILD/winord" bin/winord
  cp "$COMPLETIONS/winord.zsh" zsh/_winord
  printf '[winord]\nversion = 1\n[pool alpha]\nhosts = a*\n[pool beta]\nhosts = b*\n' >site.conf
  touch sitting.jsonl
  printf '#!/bin/sh\n' >bin/winord-tests-program && chmod 755 bin/winord-tests-program
  unset WINORD_CONF
}

# What both shells must show.
cases() {
  cat <<'END'
winord  => run check explain env facts doctor
winord exp => lain
winord run --ex => pect
winord run - => --audit --conf --dry-run --expect --no-dlsym --pool
winord explain --p => --path --pci-atomic-mode --pool
winord env -- => --help --pool --preload
winord run --expect  => relaxed strict any
winord run --expect=s => trict
winord explain --pci-atomic-mode= => unknown
winord explain --gin-connection  => custom full rail
winord run -c site.conf -p a => lpha
winord run --conf=site.conf --pool= => alpha beta
winord run -c site => .conf
winord run --log=sitt => ing.jsonl
winord check site. => conf
winord run -n winord-tests-p => rogram
winord run -c site.conf -- winord-tests-p => rogram
winord run -n -- winord exp => lain
winord run -n cat site => .conf
END
}

@test "bash with bash-completion" {
  [[ -e /usr/share/bash-completion/bash_completion ]] || lacking "bash-completion"
  cat >rc/bashrc <<END
. /usr/share/bash-completion/bash_completion
. '$COMPLETIONS/winord.bash'
PATH=$PWD/bin:\$PATH
bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind 'set enable-bracketed-paste off'
PS1='READY>'
END
  run timeout -s KILL 200 python3 "$BATS_TEST_DIRNAME/complete.py" bash "$PWD/rc/bashrc" < <(cases)
  printed '19 lines completed'
}

@test "bash alone" {
  printf '%s\n' ". '$COMPLETIONS/winord.bash'" "PATH=$PWD/bin:\$PATH" "bind 'set show-all-if-ambiguous on'" "PS1='READY>'" >rc/bashrc
  run timeout -s KILL 200 python3 "$BATS_TEST_DIRNAME/complete.py" bash "$PWD/rc/bashrc" < <(cases | grep -v -e '-- winord exp')
  printed '18 lines completed'
}

@test "zsh" {
  type -P zsh >/dev/null || lacking "zsh"
  cat >rc/.zshrc <<END
fpath=('$PWD/zsh' \$fpath)
autoload -Uz compinit && compinit -u -D
PATH=$PWD/bin:\$PATH
PS1='READY>'
LISTMAX=10000
END
  run timeout -s KILL 200 python3 "$BATS_TEST_DIRNAME/complete.py" zsh "$PWD/rc/.zshrc" < <(cases)
  printed '19 lines completed'
}

@test "every option of every command is offered, and no other" {
  for command in $("$WINORD_BUILD/winord" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    told=$("$WINORD_BUILD/winord" "$command" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort)
    offered=$(bash -c '. "$1/winord.bash"; _winord_options "$2" "$3"' - "$COMPLETIONS" "$WINORD_BUILD/winord" "$command" |
      grep -oE -- '^--[a-z-]+' | sort)
    [[ -n $told ]]
    equals "$told" "$offered"
  done
}

@test "where winord cannot run, nothing is offered and nothing is said" {
  run --separate-stderr bash -c '. "$1/winord.bash"; COMP_WORDS=(/none/winord run --c) COMP_CWORD=2
    _winord /none/winord --c run; echo "${#COMPREPLY[@]}"' - "$COMPLETIONS"
  printed 0
  equals '' "$stderr"
}
