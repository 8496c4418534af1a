import { basename } from "node:path";
import { type DiscoveryProblem, isBuiltInTool, isRecord, nearestName } from "../../contracts/index.ts";
import type { WorkflowFile } from "../discover-workflow-files.ts";
import { locateExport } from "../source-text.ts";
import type { ToolParts } from "./create-tool.ts";
import { type CompileSchema, readToolArguments } from "./tool-arguments.ts";

/** What a file of tools exports. */
export interface ToolModule {
  readonly file: WorkflowFile;
  readonly exports: Readonly<Record<string, unknown>>;
  /** The file's text, to locate its exports. */
  readonly text: string;
  readonly compileSchema: CompileSchema;
}

/** Agents put the name of Atomic's server before a tool's name; vendors take 64 characters for both. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,40}$/;
const NAME_RULE = 'letters, digits, "-" and "_", at most 40';
const EXAMPLE = 'export default tool({ description: "…", args: {}, execute: () => "…" });';
/** An export with one of these is meant as a tool. */
const TOOL_FIELDS = ["execute", "description", "args", "inputSchema"];
const KNOWN_FIELDS = [...TOOL_FIELDS, "timeoutMs"];

type Found = { readonly parts: ToolParts } | { readonly problem: DiscoveryProblem };

/**
 * Reads the tools of a file: the default export has the name of the file, another export `FILE_EXPORT`. Other exports that
 * are no objects of this kind are ignored. Never rejects.
 */
export async function parseToolModule(
  module: ToolModule,
): Promise<{ readonly tools: readonly ToolParts[]; readonly problems: readonly DiscoveryProblem[] }> {
  const { exports, file } = module;
  // A module's exports come in alphabetical order.
  const named = Object.keys(exports).filter((name) => name !== "default" && isMeantAsTool(exports[name]));
  const names = [...("default" in exports ? ["default"] : []), ...named];
  if (names.length === 0) {
    const message = "The file exports no tool.";
    const remedy = `Add one (${EXAMPLE}), or put "_" before the name of a file that only helps others.`;
    return { tools: [], problems: [{ path: file.path, message, remedy, severity: "error" }] };
  }
  const found = await Promise.all(names.map((name) => readTool(name, module)));
  return {
    tools: found.flatMap((each) => ("parts" in each ? [each.parts] : [])),
    problems: found.flatMap((each) => ("problem" in each ? [each.problem] : [])),
  };
}

function isMeantAsTool(value: unknown): boolean {
  if (!isRecord(value) || "_zod" in value) return false;
  if ("execute" in value) return true;
  if (!("description" in value)) return false;
  if ("args" in value || "inputSchema" in value || "handler" in value) return true;
  return Object.keys(value).some((field) => nearestName(field, ["execute"]) !== undefined);
}

async function readTool(exportName: string, module: ToolModule): Promise<Found> {
  const { exports, file, text, compileSchema } = module;
  const value = exports[exportName];
  const fileName = basename(file.path).replace(/\.[^.]+$/, "");
  const name = exportName === "default" ? fileName : `${fileName}_${exportName}`;
  const subject = exportName === "default" ? "The default export" : `The export "${exportName}"`;
  const fail = (message: string, remedy: string): Found => ({
    problem: { path: file.path, ...locateExport(text, exportName), message, remedy, severity: "error" },
  });
  if (!isRecord(value)) return fail(`${subject} is not a tool.`, `Export one: ${EXAMPLE}`);
  if (!TOOL_NAME.test(name)) {
    const what = exportName === "default" ? "file" : "file or the export";
    return fail(`"${name}" cannot name a tool.`, `Rename the ${what}: the name has ${NAME_RULE}.`);
  }
  if (isBuiltInTool(name)) {
    const what = exportName === "default" ? "file" : "file or the export";
    const remedy = `Rename the ${what}: a list of tools that names "${name}" means the agent's own.`;
    return fail(`"${name}" is the name of an agent's own tool.`, remedy);
  }
  if (typeof value.handler === "function" && value.execute === undefined) {
    const remedy = `Write tool({ description, args, execute }): the name "${name}" is that of the file${exportName === "default" ? "" : " and the export"}.`;
    return fail(`${subject} has the form of a tool for getToolRegistry().`, remedy);
  }
  const unknown = Object.keys(value).find((field) => !KNOWN_FIELDS.includes(field));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, KNOWN_FIELDS);
    const remedy = nearest === undefined ? "Remove it." : `Did you mean "${nearest}"?`;
    return fail(`${subject} has the unknown option "${unknown}".`, `${remedy} Options: ${KNOWN_FIELDS.join(", ")}.`);
  }
  const { description, execute, timeoutMs, args, inputSchema } = value;
  if (typeof description !== "string" || description.trim() === "")
    return fail(`${subject} has no description.`, 'Tell agents what the tool does: description: "…"');
  if (typeof execute !== "function")
    return fail(`${subject} has no function "execute".`, "Add it: execute: async (args, context) => …");
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    return fail(
      `${subject} has a timeoutMs that is not a positive number.`,
      "Give it in milliseconds, such as 30_000.",
    );
  if (args !== undefined && inputSchema !== undefined)
    return fail(`${subject} has both args and inputSchema.`, "Keep one of the two; they mean the same.");
  const read = await readToolArguments(args ?? inputSchema, compileSchema);
  if (read.type === "unusable") return fail(`${read.message} (${subject.toLowerCase()}).`, read.remedy);
  // The cast is true: it is a function, and its author decides about its arguments.
  const run = execute as (args: unknown, context: unknown) => unknown;
  return {
    parts: { name, description, path: file.path, timeoutMs, args: read, execute: run.bind(value) },
  };
}
