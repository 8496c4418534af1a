/** How a program finds the code that it runs. */
export interface Interpreter {
  readonly name: RegExp;
  /** An option with code, in the rest of the word or in the next one. */
  readonly code: RegExp;
  /** Whether the code is the first operand, wherever its option is. @default false */
  readonly isOperandCode?: boolean;
  /** Whether all words after the code are arguments for it. @default false */
  readonly isCodeLast?: boolean;
  /** Options whose value is the next word. */
  readonly values: RegExp;
  /** An option that names a module to run: all words after it are arguments. */
  readonly module?: RegExp;
  /** Words before the script that have no dash and are no script. */
  readonly skipped?: RegExp;
  /** An option to read code from the input although there is an operand. */
  readonly input?: RegExp;
}

const SHELL: Interpreter = {
  name: /^(?:r?bash|sh|zsh|dash|(?:[lm]|pd)?ksh\d*|ash|yash|fish|t?csh|\$\{?\w*SHELL\}?)$/,
  code: /^-[A-Za-z]*c|^--command\b/,
  isOperandCode: true,
  values: /^(?:[-+][A-Za-z]*[oO]|--rcfile|--init-file)$/,
  // A minus sign alone ends the options.
  skipped: /^(?:\+.*|-)$/,
  input: /^-[A-Za-z]*s/,
};

/** In clusters such as `-pe`, a letter that takes the rest of the word as its value ends the search for the code. */
const INTERPRETERS: readonly Interpreter[] = [
  SHELL,
  {
    name: /^(?:python|pypy)[\d.]*$/,
    code: /^-[^-WXm\W]*?c/,
    isCodeLast: true,
    values: /^(?:-[A-Za-z]*[WX]|--check-hash-based-pycs)$/,
    module: /^-[^-WX\W]*m/,
  },
  {
    name: /^(?:node|nodejs|bun|tsx|ts-node)$/,
    code: /^(?:-pe|-[epr]|--(?:eval|print|import|require|preload)\b)/,
    values:
      /^(?:-C|--(?:conditions|loader|experimental-loader|env-file|cwd|config|input-type|stack-trace-limit|title))$/,
    skipped: /^run$/,
  },
  {
    name: /^deno$/,
    code: /^eval$/,
    isOperandCode: true,
    values: /^(?:-c|--(?:config|import-map|lock|cert|ext))$/,
    skipped: /^run$/,
  },
  { name: /^perl[\d.]*$/, code: /^-(?:[^-\WCDFIMVimx]*?[eE]|[Mm])/, values: /^-I$/ },
  { name: /^ruby[\d.]*$/, code: /^-[^-\WCEFIKTirx]*?e/, values: /^-[CEIr]$/ },
  { name: /^php[\d.]*$/, code: /^(?:-[BERr]|--(?:run|process-\w+)\b)/, values: /^-[Scdz]$/ },
  { name: /^lua(?:jit)?[\d.]*$/, code: /^-e/, values: /^-l$/ },
  { name: /^(?:osascript|Rscript|julia|elixir|raku|tclsh)$/, code: /^(?:-[Ee]|--(?:eval|print)\b)/, values: /^-l$/ },
];

/** The interpreter that a program may be. A variable, or what a substitution prints, may be a shell. Pure. */
export function interpreterOf(program: string, isVariable: boolean): Interpreter | undefined {
  return isVariable ? SHELL : INTERPRETERS.find(({ name }) => name.test(program));
}
