# Completion of fluxtui for bash. Where bash-completion is, it loads this file by itself; else
#   eval "$(fluxtui completion bash)"

_fluxtui() {
  local program=${COMP_WORDS[0]/#\~/$HOME} flags IFS=$'\n'
  local answer=($("$program" completion bash --breaks "$COMP_WORDBREAKS" \
    --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
  flags=${answer[0]-}
  COMPREPLY=("${answer[@]:1}")
  if [[ $flags == *nospace* ]]; then compopt -o nospace; fi
  if [[ $flags == *files* ]]; then
    compopt -o filenames
    COMPREPLY+=($(compgen -f -- "$2"))
  fi
}
complete -F _fluxtui fluxtui flux-tui
