# Completion of fluxtui for fish: this file in a folder of fish_complete_path, or
#   fluxtui completion fish | source

function __fluxtui_complete
    set -l program (commandline -opc)[1]
    set -l line (commandline -cp | string collect)
    set -l answer ($program completion fish --line "$line" 2>/dev/null)
    if string match -q '*files*' -- $answer[1]
        __fish_complete_path (commandline -ct)
    end
    if set -q answer[2]
        printf '%s\n' $answer[2..-1]
    end
end

complete -c fluxtui -f -a '(__fluxtui_complete)'
complete -c flux-tui -f -a '(__fluxtui_complete)'
