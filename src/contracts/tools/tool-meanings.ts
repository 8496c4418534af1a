import { TOOL_NAMES, type ToolName } from "./tool-name.ts";

/**
 * The agents' tools for each of Atomic's names, in the agents' spelling. Some give different models different tools. Agents
 * over ACP may name only the kind of a call, such as `execute`.
 */
export const VENDOR_TOOLS: Readonly<Record<ToolName, string>> = {
  read: "Read NotebookRead read view read_text_file read_file read_many_files",
  write: "Write write create apply_patch write_text_file write_file edit_file",
  edit: "Edit NotebookEdit MultiEdit edit multiedit patch apply_patch str_replace_editor replace move delete write_text_file edit_file",
  bash: "Bash PowerShell bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell list_powershell shell terminal execute run_command run_shell_command",
  grep: "Grep grep rg search search_file_content grep_search",
  glob: "Glob glob search",
  // Claude Code lists folders with `Glob`, Copilot with `view`.
  list: "list Glob view search list_directory",
  webfetch: "WebFetch webfetch web_fetch fetch",
  websearch: "WebSearch websearch codesearch web_search google_web_search",
  task: "Agent Task task read_agent list_agents write_agent run_subagent",
  // Copilot keeps the list in the conversation's database.
  todo: "TodoWrite TaskCreate TaskGet TaskList TaskUpdate todowrite todoread update_todo write_todos sql",
  question: "AskUserQuestion question ask_user ask_question",
};

/** What a name stands for: some of Atomic's tools, or one vendor's tool that is less than any of them. */
type Meaning = ToolName | "notebookedit" | "notebookread";

/** Other names that definitions use, in lower case: those of one vendor's tool, which another vendor calls differently. */
const OTHER_NAMES: Readonly<Record<string, readonly Meaning[]>> = {
  view: ["read"],
  notebookread: ["read"],
  create: ["write"],
  multiedit: ["edit"],
  patch: ["edit"],
  apply_patch: ["edit"],
  str_replace_editor: ["edit"],
  shell: ["bash"],
  execute: ["bash"],
  powershell: ["bash"],
  rg: ["grep"],
  search: ["grep", "glob"],
  ls: ["list"],
  web_fetch: ["webfetch"],
  web_search: ["websearch"],
  web: ["webfetch", "websearch"],
  agent: ["task"],
  "custom-agent": ["task"],
  todowrite: ["todo"],
  todoread: ["todo"],
  askuserquestion: ["question"],
  ask_user: ["question"],
};

/**
 * Tools of Copilot in VS Code. None may mean more than its author wants: the output of a terminal is no reason to allow
 * commands, nor is a run of the tests.
 */
const VSCODE_TOOLS: Readonly<Record<string, readonly Meaning[]>> = {
  readFile: ["read"],
  viewImage: ["read"],
  getNotebookSummary: ["notebookread"],
  readNotebookCellOutput: ["notebookread"],
  codebase: ["read", "grep", "glob"],
  textSearch: ["grep"],
  usages: ["grep"],
  fileSearch: ["glob"],
  findTestFiles: ["glob"],
  listDirectory: ["list"],
  createFile: ["write"],
  editFiles: ["edit"],
  editNotebook: ["notebookedit"],
  runCommands: ["bash"],
  runInTerminal: ["bash"],
  fetch: ["webfetch"],
  runSubagent: ["task"],
  todos: ["todo"],
  askQuestions: ["question"],
};

/** A tool of VS Code with the set that contains it, such as `edit/createFile`; tools move from set to set. */
const IN_VSCODE_SET = /^(?:agent|edit|execute|new|read|runcommands|runnotebooks|runtasks|search|vscode|web)\/(.+)$/;

/** Tools and sets of tools of one vendor that stand for none of Atomic's names: those of VS Code, then those of agents. */
const OTHER_TOOLS =
  "activePullRequest awaitTerminal browser changes copilotCodingAgent createAndRunTask createDirectory createJupyterNotebook extensions getProjectSetupInfo getTaskOutput getTerminalOutput githubRepo githubTextSearch installExtension killTerminal memory new newJupyterNotebook newWorkspace openSimpleBrowser problems readCellOutput rename runCell runCommand runNotebookCell runNotebooks runTask runTasks runTests runVscodeCommand searchResults selection sendToTerminal switchAgent terminalLastCommand terminalSelection testFailure think updateUserPreferences vscode vscodeAPI ListAgents batch";

const VSCODE_MEANINGS = new Map(Object.entries(VSCODE_TOOLS).map(([name, meant]) => [name.toLowerCase(), meant]));

const MEANINGS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...VSCODE_MEANINGS,
  ...Object.entries(OTHER_NAMES),
  ...TOOL_NAMES.map((name) => [name, [name]] as const),
]);

/** The names that stand for a tool with a counterpart, in the spelling of their owners. */
export const TOOL_WORDS: readonly string[] = [
  ...new Set([
    ...TOOL_NAMES,
    ...Object.keys(VSCODE_TOOLS),
    ...Object.values(VENDOR_TOOLS).flatMap((names) => names.split(" ")),
    ...Object.keys(OTHER_NAMES),
  ]),
];

const KNOWN_WORDS: ReadonlySet<string> = new Set(
  [...TOOL_WORDS, ...OTHER_TOOLS.split(" ")].map((name) => name.toLowerCase()),
);

/** What a name in a list of tools stands for, in lower case; empty for a name of which Atomic knows nothing. */
export function meaningsOf(name: string): readonly string[] {
  const key = name.toLowerCase();
  const inSet = IN_VSCODE_SET.exec(key)?.[1];
  return MEANINGS.get(key) ?? (inSet === undefined ? undefined : VSCODE_MEANINGS.get(inSet)) ?? [];
}

const BUILT_IN_TOOLS: ReadonlySet<string> = new Set(TOOL_WORDS.map((name) => name.toLowerCase()));

/**
 * Whether a name means one of an agent's own tools, whichever agent's: in a list of tools it never means another tool. A
 * name such as `read/x` means a tool of VS Code.
 */
export function isBuiltInTool(name: string): boolean {
  return BUILT_IN_TOOLS.has(name.toLowerCase()) || IN_VSCODE_SET.test(name.toLowerCase());
}

/** Whether a word is the name of a tool, or of a set of tools, of Atomic or of a vendor. */
export function isToolWord(word: string): boolean {
  return KNOWN_WORDS.has(word.toLowerCase());
}
