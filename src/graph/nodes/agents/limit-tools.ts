import type { PermissionPolicy, ToolKind } from "../../../contracts/index.ts";
import { bareNameOf } from "./find-own-tools.ts";

/** The kinds of the tools that definitions of agents, skills and commands name, for all vendors. */
const TOOLS_OF_KIND: Readonly<Record<ToolKind, readonly string[]>> = {
  read: ["read", "view", "glob", "grep", "list", "ls", "search", "lsp", "notebookread", "todoread", "skill"],
  edit: ["edit", "write", "multiedit", "notebookedit", "patch", "apply_patch", "create"],
  shell: ["bash", "shell", "execute", "powershell"],
  fetch: ["webfetch", "websearch", "codesearch", "fetch", "web"],
  agent: ["task", "agent"],
  mcp: ["mcp"],
  other: ["doom_loop", "plan_enter", "plan_exit"],
};

// The cast is true: these are the keys of the record above, which has a key for every kind.
const KINDS = Object.keys(TOOLS_OF_KIND) as readonly ToolKind[];

/**
 * A policy that denies every kind of tool without a tool in the list, and leaves the other kinds to the given policy. Names
 * are those of the vendors: case does not matter, and a suffix in parentheses is left to the policy. `*` allows all tools.
 * Policies know only kinds, so one name allows all tools of its kind.
 *
 * @param registered the names in the list that are the run's own tools, which agents see as MCP tools. A name that is also
 * a vendor's tool allows that one as well.
 */
export function limitTools(
  policy: PermissionPolicy | undefined,
  tools: readonly string[],
  registered: readonly string[] = [],
): PermissionPolicy | undefined {
  if (tools.includes("*")) return policy;
  const own = new Set(registered.map((name) => name.toLowerCase()));
  const wanted = new Set(tools.flatMap((tool) => kindsOf(tool, own)));
  const refused = KINDS.filter((kind) => !wanted.has(kind));
  if (refused.length === 0) return policy;
  return { ...policy, rules: [...(policy?.rules ?? []), { effect: "deny", tools: refused }] };
}

function kindsOf(tool: string, own: ReadonlySet<string>): readonly ToolKind[] {
  const name = bareNameOf(tool).toLowerCase();
  const known = KINDS.find((kind) => TOOLS_OF_KIND[kind].includes(name));
  if (own.has(name)) return known === undefined ? ["mcp"] : ["mcp", known];
  // The name of an MCP tool starts with its server: mcp__github__search, github/search, github_search, github_*.
  return [known ?? (/[_/]/.test(name) ? "mcp" : "other")];
}
