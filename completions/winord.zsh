#compdef winord
# zsh completion for winord(1). Commands and options come from the --help of the winord that is called, so that they are never
# others than its own; only what may stand for an option's value is written here.

# The pools of the policy that the line names, else of the one that the shim would read.
_winord_pools() {
  local conf=${WINORD_CONF:-/etc/winord.conf} previous word
  local -a pools
  for word in $words; do
    case $previous:$word in
    *:--conf=*) conf=${word#--conf=} ;;
    -c:* | --conf:* | *:*.conf) conf=$word ;;
    esac
    previous=$word
  done
  pools=(${(f)"$(sed -n 's/^\[pool \(.*\)\].*/\1/p' ${~conf} 2>/dev/null)"})
  compadd -a pools
}

_winord_option_specs() {
  local names value text name
  typeset -A actions=(
    --pool _winord_pools --expect '(relaxed strict any)' --asked '(strict default)' --host _hosts --pid _pids
    --pci-atomic-mode '(0 1 2 3 4 unknown)' --gin-connection '(none full rail custom unknown)'
    --path '(PIX PXB PHB NODE SYS)' --nccl ' ' --size ' ' --flags ' ' --metric ' ' --exe ' ' --hypervisor ' ' --gpu ' '
    --nic-type ' ' --launcher ' ' --minutes ' ' --stress ' ' --pairs ' ' -n ' '
  )
  specs=()
  while IFS=$'\t' read -r names value text; do
    text=${${text//\[/\\[}//\]/\\]}
    for name in ${=names}; do
      case $value in
      none) specs+=("(${names})${name}[$text]") ;;
      optional) specs+=("(${names})${name}=-[$text]::value:_files") ;;
      *) specs+=("(${names})${name}${${name:#--*}:++}${${(M)name:#--*}:+=}[$text]:value:${actions[${names##* }]:-_files}") ;;
      esac
    done
  done < <($1 $2 --help 2>/dev/null | awk '
    /^ +-/ {
      sub(/^ +/, ""); gsub(/:/, ";")
      text = $0; sub(/.*  /, "", text); sub(/  .*/, "")
      value = /\[=/ ? "optional" : /=| [A-Z]/ ? "value" : "none"
      gsub(/(\[?=| )[A-Z]+\]?/, ""); gsub(/,/, "")
      print $0 "\t" value "\t" text
    }')
}

_winord() {
  local winord=$words[1]
  local -a known specs
  if ((CURRENT == 2)); then
    known=(${(f)"$($winord --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *\([^ ].*\)/\1:\2/p')"})
    known+=('--help:show the commands' '--version:show the version')
    _describe -t commands 'winord command' known
    return
  fi
  local asked=$words[2]
  shift words
  ((CURRENT--))
  _winord_option_specs $winord $asked
  case $asked in
  run | ab | qualify) _arguments -S $specs '(-)1: :_command_names -e' '*:: :_normal' ;;
  *) _arguments -S $specs '*: :_files' ;;
  esac
}
_winord "$@"
