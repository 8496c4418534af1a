import {
  type HookShape,
  isRecord,
  isToolName,
  meaningsOf,
  TOOL_NAMES,
  type ToolName,
  VENDOR_TOOLS,
} from "../../contracts/index.ts";

/** How a vendor spells a tool and the fields of its input. */
interface Spelling {
  readonly name: string;
  /** Earlier names of the tool, which matchers may still use. */
  readonly aliases?: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
}

/** The vendors into whose spelling calls are translated. */
type Speller = HookShape | "opencode";

const SPELLINGS: Readonly<Record<ToolName, Readonly<Record<Speller, Spelling>>>> = {
  read: {
    claude: { name: "Read", fields: { path: "file_path" } },
    copilot: { name: "view", fields: { path: "path" } },
    opencode: { name: "read", fields: { path: "filePath" } },
  },
  write: {
    claude: { name: "Write", fields: { path: "file_path", content: "content" } },
    copilot: { name: "create", fields: { path: "path", content: "file_text" } },
    opencode: { name: "write", fields: { path: "filePath", content: "content" } },
  },
  edit: {
    claude: {
      name: "Edit",
      fields: { path: "file_path", old: "old_string", new: "new_string", all: "replace_all" },
    },
    copilot: { name: "edit", fields: { path: "path", old: "old_str", new: "new_str", all: "replace_all" } },
    opencode: { name: "edit", fields: { path: "filePath", old: "oldString", new: "newString", all: "replaceAll" } },
  },
  bash: plainSpelling("Bash", "bash"),
  grep: {
    claude: { name: "Grep", fields: { glob: "glob" } },
    copilot: { name: "grep", fields: { glob: "glob" } },
    opencode: { name: "grep", fields: { glob: "include" } },
  },
  glob: plainSpelling("Glob", "glob"),
  list: plainSpelling("LS", "list"),
  webfetch: { ...plainSpelling("WebFetch", "webfetch"), copilot: { name: "web_fetch", fields: {} } },
  websearch: { ...plainSpelling("WebSearch", "websearch"), copilot: { name: "web_search", fields: {} } },
  task: {
    claude: { name: "Agent", aliases: ["Task"], fields: { agent: "subagent_type" } },
    copilot: { name: "task", fields: { agent: "agent_type" } },
    opencode: { name: "task", fields: { agent: "subagent_type" } },
  },
  todo: { ...plainSpelling("TodoWrite", "todowrite"), copilot: { name: "update_todo", fields: {} } },
  question: { ...plainSpelling("AskUserQuestion", "question"), copilot: { name: "ask_user", fields: {} } },
};

function plainSpelling(claude: string, other: string): Readonly<Record<Speller, Spelling>> {
  return {
    claude: { name: claude, fields: {} },
    copilot: { name: other, fields: {} },
    opencode: { name: other, fields: {} },
  };
}

/** A call as a vendor's hooks see it. */
export interface VendorCall {
  readonly toolName: string;
  /** Other names under which matchers may know the tool: the agent's own, and earlier ones. */
  readonly aliases: readonly string[];
  readonly input: unknown;
  /** A changed input, in the spelling of the agent. */
  restore(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/**
 * Translates an agent's call into a vendor's spelling, so that a hook for `Bash` or `Edit` sees the calls of all agents.
 * A tool without a counterpart, such as an MCP server's, keeps its name and its input. Pure.
 */
export function toVendorCall(
  call: { readonly toolName: string; readonly input: unknown },
  vendor: Speller,
): VendorCall {
  const meaning = meaningOf(call);
  if (meaning === undefined || !isRecord(call.input))
    return {
      toolName: meaning === undefined ? call.toolName : SPELLINGS[meaning][vendor].name,
      aliases: [call.toolName],
      input: call.input,
      restore: (input) => input,
    };
  const { name, aliases = [], fields } = SPELLINGS[meaning][vendor];
  const known = Object.values(SPELLINGS[meaning]);
  /** The agent's names of fields, by the vendor's. */
  const own = new Map<string, string>();
  for (const [field, spelled] of Object.entries(fields)) {
    const spellings = [...new Set(known.map((spelling) => spelling.fields[field]))];
    const found = spellings.find((one) => one !== undefined && Object.hasOwn(call.input as object, one)); // an object, as checked above
    if (found !== undefined) own.set(spelled, found);
  }
  const vendors = new Map([...own].map(([spelled, found]) => [found, spelled]));
  return {
    toolName: name,
    aliases: [...aliases, call.toolName],
    input: renameFields(call.input, vendors),
    restore: (input) => renameFields(input, own),
  };
}

function renameFields(
  input: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** Some names stand for writing a file and for changing one. */
function meaningOf({ toolName, input }: { readonly toolName: string; readonly input: unknown }): ToolName | undefined {
  const fitting = TOOL_NAMES.filter((name) => VENDOR_TOOLS[name].split(" ").includes(toolName));
  const meant = fitting.length > 0 ? fitting : meaningsOf(toolName).filter(isToolName);
  if (meant.length <= 1 || !isRecord(input)) return meant[0];
  const fields = (name: ToolName): number =>
    Object.values(SPELLINGS[name])
      .flatMap((spelling) => Object.values(spelling.fields))
      .filter((field) => Object.hasOwn(input, field)).length;
  return [...meant].sort((left, right) => fields(right) - fields(left))[0];
}
