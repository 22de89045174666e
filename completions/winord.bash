# bash completion for winord(1). Commands and options come from the --help of the winord that is called, so that they are never
# others than its own; only what may stand for an option's value is written here.

# _winord_commands WINORD
_winord_commands() {
  "$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

# _winord_options WINORD COMMAND: a word for each option; those whose value may stand in the next word end in =.
_winord_options() {
  "$1" "$2" --help 2>/dev/null | awk '
    /^ +-/ {
      sub(/^ +/, ""); sub(/  .*/, "")
      value = /[^[]=| [A-Z]/ ? "=" : ""
      count = split($0, names, /, /)
      for (i = 1; i <= count; i++) { sub(/[[= ].*/, "", names[i]); print names[i] value }
    }'
}

# _winord_pools WORD...: the pools of the policy that the line names, else of the one that the shim would read.
_winord_pools() {
  local conf=${WINORD_CONF:-/etc/winord.conf} previous='' word
  for word in "$@"; do
    case $previous:$word in
    *:--conf=*) conf=${word#--conf=} ;;
    -c:* | --conf:* | *:*.conf) conf=$word ;;
    esac
    previous=$word
  done
  sed -n 's/^\[pool \(.*\)\].*/\1/p' "$conf" 2>/dev/null
}

# _winord_values OPTION WORD...: what its value may be. Status 1: a file.
_winord_values() {
  local option=$1
  shift
  case $option in
  -p | --pool) _winord_pools "$@" ;;
  --expect) echo relaxed strict any ;;
  --asked) echo strict default ;;
  --pci-atomic-mode) echo 0 1 2 3 4 unknown ;;
  --gin-connection) echo none full rail custom unknown ;;
  --path) echo PIX PXB PHB NODE SYS ;;
  --host) compgen -A hostname ;;
  --pid) (cd /proc && echo [0-9]*) ;;
  --nccl | --size | --flags | --metric | --exe | --hypervisor | --gpu | --nic-type | --launcher | --minutes | --stress | --pairs | -n) ;;
  *) return 1 ;;
  esac
}

# _winord_line: the words up to the cursor, in words, with what readline parted at a = put together again.
_winord_line() {
  local i
  words=("${COMP_WORDS[0]}")
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if [[ ${words[-1]} == --* && (${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == =) ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
}

# _winord_program: where in words the program stands that `run`, `ab` and `qualify` are to start. Status 1: the line has not come so far.
_winord_program() {
  local i
  for ((i = 2; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    --) i=$((i + 1)) && break ;;
    -*) [[ " $options " != *" ${words[i]}= "* ]] || i=$((i + 1)) ;;
    *) break ;;
    esac
  done
  [[ $i -lt ${#words[@]} ]] && echo "$i"
}

# _winord_reply WORD CANDIDATES
_winord_reply() {
  mapfile -t COMPREPLY < <(compgen -W "$2" -- "$1")
}

_winord() {
  local winord=$1 words options word option values at
  _winord_line
  word=${words[-1]}
  COMPREPLY=()
  if [[ ${#words[@]} -le 2 ]]; then
    _winord_reply "$word" "$(_winord_commands "$winord") --help --version"
    return
  fi
  options=$(_winord_options "$winord" "${words[1]}" | tr '\n' ' ')
  if [[ ${words[1]} == @(run|ab|qualify) ]] && at=$(_winord_program); then
    if declare -F _command_offset >/dev/null; then
      _command_offset $((at + COMP_CWORD + 1 - ${#words[@]}))
    else
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
    fi
    return
  fi
  option=${words[-2]}
  if [[ $word == --*=* ]]; then
    option=${word%%=*} word=${word#*=}
  elif [[ " $options " != *" $option= "* ]]; then
    option=
  fi
  if [[ -n $option ]] && values=$(_winord_values "$option" "${words[@]}"); then
    _winord_reply "$word" "$values"
  elif [[ -z $option && $word == -* ]]; then
    _winord_reply "$word" "${options//=/}"
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
} 2>/dev/null
complete -F _winord winord
