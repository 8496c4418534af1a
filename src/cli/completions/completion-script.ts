/** The shells with completions. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** How the completions of each shell are installed, for good. */
export const INSTALL_HELP = `
Install them for good, and open another terminal:
  bash        echo 'source <(atomic completions bash)' >> ~/.bashrc
  zsh         echo 'source <(atomic completions zsh)' >> ~/.zshrc    (after the line with compinit)
  fish        atomic completions fish > ~/.config/fish/completions/atomic.fish
  powershell  atomic completions powershell >> $PROFILE
They offer commands, options, and names that exist here: workflows, runs, agents, tools, definitions and settings.`;

/*
 * Each script asks the program with the words up to the cursor. Each line of the answer is a value, a tab and a description; the
 * line ":files" means that a file may be there. Nothing else is printed, whatever goes wrong.
 */

const BASH = `# Completions of atomic for bash.
_atomic() {
  local line is_file=0
  local current=\${COMP_WORDS[COMP_CWORD]}
  [ "$current" = "=" ] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) is_file=1 ;;
      ?*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(command atomic __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ "$is_file" = 1 ]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
      COMPREPLY+=("$line")
    done < <(compgen -f -- "$current" 2>/dev/null)
  fi
}
complete -F _atomic atomic
`;

const ZSH = `#compdef atomic
# Completions of atomic for zsh.
_atomic() {
  local line is_file=0 found=1
  local -a values
  while IFS= read -r line; do
    case $line in
      :files) is_file=1 ;;
      ?*) values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <(command atomic __complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  if (( \${#values} )); then
    _describe -V 'atomic' values && found=0
  fi
  if (( is_file )); then
    _files && found=0
  fi
  return found
}
if [ "\${funcstack[1]}" = "_atomic" ]; then
  _atomic "$@"
else
  compdef _atomic atomic
fi
`;

const FISH = `# Completions of atomic for fish.
function __atomic_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command atomic __complete -- $words[2..-1] "$current" 2>/dev/null)
    for line in $lines
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c atomic -f -a '(__atomic_complete)'
`;

const POWERSHELL = `# Completions of atomic for PowerShell.
Register-ArgumentCompleter -Native -CommandName atomic -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    # PowerShell passes no empty words.
    $new = @(if ($wordToComplete -eq '') { '--new-word' })
    & atomic __complete @new -- @words 2>$null | ForEach-Object {
        if ($_ -eq ':files') {
            Get-ChildItem -Name -Path "$wordToComplete*" -ErrorAction SilentlyContinue | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ProviderItem', $_)
            }
        } elseif ($_ -ne '') {
            $value, $about = $_ -split "\`t", 2
            if (-not $about) { $about = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
        }
    }
}
`;

/** The script that makes a shell complete calls of `atomic`. */
export function completionScript(shell: Shell): string {
  return { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }[shell];
}
