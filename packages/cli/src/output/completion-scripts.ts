export type ShellName = 'bash' | 'zsh' | 'fish';

const BASH = `# Completion of gatehouse for bash. Add to ~/.bashrc: source <(gatehouse completion bash)
_gatehouse() {
  local current line
  # Bash splits words at colons, but scopes such as links:write contain them.
  current="\${COMP_LINE:0:COMP_POINT}"
  local words
  read -ra words <<< "$current"
  [[ "$current" == *[[:space:]] ]] && words+=('')
  COMPREPLY=()
  local word="\${words[\${#words[@]}-1]}" prefix=''
  [[ "$word" == *:* ]] && prefix="\${word%"\${word##*:}"}"
  while IFS=$'\\t' read -r line _; do
    COMPREPLY+=("\${line#"$prefix"}")
  done < <("\${words[0]}" __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _gatehouse gatehouse
`;

const ZSH = `#compdef gatehouse
# Completion of gatehouse for zsh. Add to ~/.zshrc, after compinit: source <(gatehouse completion zsh)
_gatehouse() {
  local -a found
  local name description
  while IFS=$'\\t' read -r name description; do
    found+=("\${name//:/\\\\:}:\${description}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then
    _describe 'gatehouse' found
  else
    _files
  fi
}
compdef _gatehouse gatehouse
`;

const FISH = `# Completion of gatehouse for fish. Run: gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish
function __gatehouse_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c gatehouse -f -a '(__gatehouse_complete)'
`;

/** Completion scripts. They call \`gatehouse __complete\`, so they need no update with new commands. */
export const SCRIPTS: Readonly<Record<ShellName, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
