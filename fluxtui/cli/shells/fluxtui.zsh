#compdef fluxtui flux-tui
# Completion of fluxtui for zsh: this file as _fluxtui in a folder of fpath, or after compinit
#   eval "$(fluxtui completion zsh)"

_fluxtui() {
  local program=${words[1]} line="${(j: :)words[1,CURRENT-1]} ${QIPREFIX}${PREFIX}"
  local -a answer values shown space
  answer=("${(@f)$(${~program} completion zsh --line "$line" 2>/dev/null)}")
  local flags=${answer[1]} one
  for one in "${(@)answer[2,-1]}"; do
    values+=("${one%%$'\t'*}")
    shown+=("${one/$'\t'/  -- }")
  done
  [[ $flags == *nospace* ]] && space=(-S '')
  (( $#values )) && compadd "${space[@]}" -l -d shown -a values
  [[ $flags == *files* ]] && _files
  return 0
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
  _fluxtui "$@"
else
  compdef _fluxtui fluxtui flux-tui
fi
