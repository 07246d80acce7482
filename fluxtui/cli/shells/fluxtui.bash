# Completion of fluxtui for bash. Where bash-completion is, it loads this file by itself; else
#   eval "$(fluxtui completion bash)"

_fluxtui() {
  local program=${COMP_WORDS[0]/#\~/$HOME} flags one
  COMPREPLY=()
  # Line by line: bash would look for files in place of what has signs of patterns.
  {
    IFS= read -r flags
    while IFS= read -r one; do COMPREPLY+=("$one"); done
  } < <("$program" completion bash --breaks "$COMP_WORDBREAKS" \
    --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  if [[ $flags == *nospace* ]]; then compopt -o nospace; fi
  if [[ $flags == *files* ]]; then
    compopt -o filenames
    while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen -f -- "$2")
  fi
}
complete -F _fluxtui fluxtui flux-tui
