import {
  isBuiltInTool,
  type PermissionPolicy,
  type PermissionRequest,
  type PermissionRule,
  recordOf,
  stringOf,
  TOOL_NAMES,
} from "../../../contracts/index.ts";
import { isMachinery, isNameOf, type NamedTool } from "./tool-names.ts";

/** What a list of tools says about a call. */
export type ToolCoverage =
  | { readonly type: "all" | "none" }
  /** It covers a call that `within`, an `allow` rule, matches, and that none of `outside`, `deny` rules, matches. */
  | { readonly type: "some"; readonly within?: PermissionRule; readonly outside: readonly PermissionRule[] };

/** A name in a list, such as `Bash(git:*)` or `!write`. */
interface ToolEntry {
  /** In lower case. */
  readonly name: string;
  readonly pattern?: string;
  /** Whether it takes the tool off the list. */
  readonly isExcluded: boolean;
}

/**
 * What a list of tools, as in `exceptTools`, says about a call. Pure.
 *
 * 1. A name is one of Atomic's (`read`) or the agent's (`Read`), without regard to case. It means that tool alone.
 * 2. MCP tools are `mcp__server__tool`, `server/tool` or `server_tool`, all those of a server `server/*` or `mcp__server`.
 *    `*` stands for any text, in every name.
 * 3. A pattern limits the calls: commands in `Bash(git:*)`, files in `Edit(docs/**)`, hosts in `WebFetch(domain:a.org)`,
 *    agents in `Agent(scout, critic)`. A pattern of another tool covers no call.
 * 4. A name of an agent's own tool, such as `read` or VS Code's `read/readFile`, covers no MCP tool; `mcp__read__readFile`
 *    does. A pattern such as `write*` that matches names of Atomic's covers these tools only, and not `write_bash`.
 * 5. `!write` takes a tool off the list, `!Bash(rm:*)` some of its calls; wherever it stands, it wins, and
 *    invariant 4 does not limit it. A list of nothing else covers all other tools; an empty one covers none.
 */
export function coverTool(names: readonly string[], request: ToolCall): ToolCoverage {
  if (isMachinery(request)) return { type: "all" };
  const entries = parseEntries(names).filter((entry) => isEntryOf(entry, request));
  const listed = entries.filter(({ isExcluded }) => !isExcluded);
  const limits = listed.flatMap(({ pattern }) => (pattern === undefined ? [] : [limitOf(pattern, request)]));
  const isWhole = limits.length < listed.length || limits.includes("all");
  const within = mergeRules(limits.filter((limit) => typeof limit === "object"));
  if (!isWhole && within === undefined) return { type: "none" };
  const exclusions = entries
    .filter(({ isExcluded }) => isExcluded)
    // What a search would find is not compared with the list, so some of it cannot be left out.
    .map(({ pattern }) => (pattern === undefined || request.search !== undefined ? "all" : limitOf(pattern, request)));
  if (exclusions.includes("all")) return { type: "none" };
  const outside = exclusions
    .filter((limit) => typeof limit === "object")
    .map((rule) => ({ ...rule, effect: "deny" as const }));
  if (isWhole && outside.length === 0) return { type: "all" };
  return { type: "some", ...(isWhole || within === undefined ? {} : { within }), outside };
}

/** The part of a call that lists of tools depend on. */
export type ToolCall = NamedTool & Pick<PermissionRequest, "details" | "search">;

/** Whether a list names a tool, for all its calls or for some. */
export function isListed(names: readonly string[], tool: NamedTool): boolean {
  const entries = parseEntries(names).filter((entry) => isEntryOf(entry, tool));
  return (
    entries.some(({ isExcluded }) => !isExcluded) &&
    !entries.some(({ isExcluded, pattern }) => isExcluded && pattern === undefined)
  );
}

/** Settings that limit an agent to some of its tools. */
export interface ToolLimits {
  readonly allowedTools?: readonly string[] | undefined;
  readonly permissions?: PermissionPolicy | undefined;
}

/** The lists that an agent's own tools have to be on to be offered: `allowedTools`, and what the policy denies all others but. */
export function toolListsOf({ allowedTools, permissions }: ToolLimits): readonly (readonly string[])[] {
  const denied = (permissions?.rules ?? []).flatMap(({ effect, exceptTools, tools, paths, commands }) =>
    effect === "deny" && exceptTools !== undefined && (tools ?? paths ?? commands) === undefined ? [exceptTools] : [],
  );
  return allowedTools === undefined ? denied : [allowedTools, ...denied];
}

/** Whether a tool of Atomic's may be offered in a session: it is on all lists. */
export function mayOffer(limits: ToolLimits, toolName: string): boolean {
  return toolListsOf(limits).every((names) => isListed(names, { toolName, kind: "mcp" }));
}

/**
 * The names of an agent's own tools that are on all lists; undefined without a list. A word that names no known tool may be
 * a tool that Atomic does not know yet, so it stays.
 */
export function offeredTools(
  limits: ToolLimits,
  known: ReadonlyMap<string, Pick<NamedTool, "kind">>,
): readonly string[] | undefined {
  const lists = toolListsOf(limits);
  if (lists.length === 0) return undefined;
  const tools = [...known].map(([toolName, { kind }]): NamedTool => ({ toolName, kind }));
  const others = lists
    .flat()
    .filter((name) => /^\w+$/.test(name) && !tools.some((tool) => isListed([name], tool)))
    .map((toolName): NamedTool => ({ toolName, kind: "other" }));
  const offered = [...tools, ...others].filter((tool) => lists.every((names) => isListed(names, tool)));
  return [...new Set(offered.map(({ toolName }) => toolName))];
}

/** Invariant 5. */
function parseEntries(names: readonly string[]): readonly ToolEntry[] {
  const entries = names.map(parseEntry);
  const isAllBut = entries.length > 0 && entries.every(({ isExcluded }) => isExcluded);
  return isAllBut ? [{ name: "*", isExcluded: false }, ...entries] : entries;
}

/** A parenthesis that is not closed takes the whole tool off the list, or names none. */
function parseEntry(text: string): ToolEntry {
  const trimmed = text.trim();
  const isExcluded = trimmed.startsWith("!");
  const entry = trimmed.slice(isExcluded ? 1 : 0);
  const open = entry.indexOf("(");
  const name = (open === -1 ? entry : entry.slice(0, open)).trim().toLowerCase();
  if (open === -1) return { name, isExcluded };
  if (entry.endsWith(")")) return { name, pattern: entry.slice(open + 1, -1).trim(), isExcluded };
  return { name: isExcluded ? name : "", isExcluded };
}

function isEntryOf({ name, isExcluded }: ToolEntry, tool: NamedTool): boolean {
  return matchesName(name, tool) && (isExcluded || !isOfOtherKind(name, tool));
}

/** Invariant 4. */
function isOfOtherKind(name: string, tool: NamedTool): boolean {
  const isMcp = tool.kind === "mcp";
  if (isMcp && isBuiltInTool(name)) return true;
  const meant = name.includes("*") ? TOOL_NAMES.filter((one) => matchesWildcard(name, one)) : [];
  if (meant.length === 0 || meant.length === TOOL_NAMES.length) return false;
  return isMcp || !meant.some((one) => isNameOf(one, tool));
}

function matchesName(name: string, tool: NamedTool): boolean {
  if (isNameOf(name, tool) || matchesWildcard(name, tool.toolName.toLowerCase())) return true;
  if (tool.kind !== "mcp") return false;
  const toolName = tool.toolName.toLowerCase();
  return isMcpNameOf(name, toolName) || ownNameOf(name) === ownNameOf(toolName);
}

/** Over ACP, the names of Atomic's tools start with their server. */
const OWN_SERVER = /^(?:mcp__atomic__|atomic[_./:-]+)/;

function ownNameOf(name: string): string {
  return plain(name.replace(OWN_SERVER, ""));
}

/** Invariant 2. Agents put the server before the tool in different ways, with or without a mark between them. */
function isMcpNameOf(name: string, toolName: string): boolean {
  const wanted = splitMcpName(name);
  const called = splitMcpName(toolName);
  if (wanted.server !== undefined && called.server !== undefined) {
    return matchesWildcard(wanted.server, called.server) && matchesWildcard(wanted.tool, called.tool);
  }
  return isQualified(name) && matchesWildcard(joinMcpName(wanted), joinMcpName(called));
}

interface McpName {
  readonly server?: string;
  readonly tool: string;
}

function splitMcpName(name: string): McpName {
  const [, server, tool = "*"] = /^mcp__(.+?)(?:__(.*))?$/s.exec(name) ?? /^([^/]+)\/(.*)$/s.exec(name) ?? [];
  return server === undefined ? { tool: plain(name) } : { server: plain(server), tool: plain(tool) };
}

/** Whether a name names a server, too. */
function isQualified(name: string): boolean {
  return /[^a-z0-9*]/.test(name);
}

function joinMcpName({ server, tool }: McpName): string {
  return server === undefined ? tool : `${server}_${tool}`;
}

/** Agents replace what they do not like in a name. */
function plain(name: string): string {
  return name.replace(/[^a-z0-9*]+/g, "_");
}

function matchesWildcard(glob: string, text: string): boolean {
  if (!glob.includes("*")) return glob === text;
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop() ?? "";
  if (!text.startsWith(first)) return false;
  let place = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, place);
    if (found === -1) return false;
    place = found + part.length;
  }
  return text.length - last.length >= place && text.endsWith(last);
}

/** The calls that a pattern means: `all`, `none`, or those that a rule matches. */
function limitOf(pattern: string, { kind, details, search }: ToolCall): "all" | "none" | PermissionRule {
  if (pattern === "" || pattern === "*") return "all";
  switch (kind) {
    case "shell":
      return { effect: "allow", commands: commandGlobs(pattern) };
    case "read":
    case "edit":
      // A search reads all that is below its folders.
      if (search !== undefined && !pattern.endsWith("**")) return "none";
      return { effect: "allow", paths: [pathGlob(pattern)] };
    case "fetch":
      return details?.type === "fetch" && isOfDomain(details.address, pattern) ? "all" : "none";
    case "agent":
      return details?.type === "input" && isOneOf(agentIn(details.input), pattern) ? "all" : "none";
    default:
      return "none";
  }
}

/** `git:*` stands for `git` with and without arguments. */
function commandGlobs(pattern: string): readonly string[] {
  const prefix = /^(.*?)\s*:\*$/s.exec(pattern)?.[1];
  return prefix === undefined ? [pattern] : [prefix, `${prefix} *`];
}

/** Claude Code writes `//etc` for an absolute path, and `/src` for one of the project. */
function pathGlob(pattern: string): string {
  if (pattern.startsWith("//")) return pattern.slice(1);
  return pattern.replace(/^\.?\//, "");
}

function isOfDomain(address: string, pattern: string): boolean {
  const domain = /^domain:(.+)$/.exec(pattern)?.[1]?.trim().toLowerCase();
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return domain !== undefined && host !== "" && matchesWildcard(domain, host);
}

function agentIn(input: unknown): string {
  const { subagent_type: type, agent_type: other } = recordOf(input);
  return (stringOf(type) || stringOf(other)).toLowerCase();
}

function isOneOf(name: string, pattern: string): boolean {
  return name !== "" && pattern.split(",").some((one) => one.trim().toLowerCase() === name);
}

/** One rule for what several cover together: each may cover a part of a command line, or one of several files. */
function mergeRules(rules: readonly PermissionRule[]): PermissionRule | undefined {
  const paths = rules.flatMap((rule) => rule.paths ?? []);
  const commands = rules.flatMap((rule) => rule.commands ?? []);
  if (paths.length === 0 && commands.length === 0) return undefined;
  return { effect: "allow", ...(paths.length === 0 ? {} : { paths }), ...(commands.length === 0 ? {} : { commands }) };
}
