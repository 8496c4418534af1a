import type { DiscoveryProblem } from "../../contracts/index.ts";
import { type EntityRegistry, type RegisteredEntity, toolListOf, type UnifiedEntity } from "../../discovery/index.ts";
import { formatTable, safeLine, safeText } from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { formatProblem } from "../loading/workflow-errors.ts";
import { formatJson } from "../output/format-json.ts";
import { printProblems } from "../output/problem-printer.ts";
import { tableColumns } from "../output/terminal.ts";
import { trustIfAsked } from "../trust/trust-if-asked.ts";
import { Workspace } from "../workspace.ts";
import { findEntity, type NamedType } from "./find-entity.ts";
import { loadEntities } from "./load-entities.ts";
import { isLeftOut, tellLeftOut, tellRepeated } from "./tell-left-out.ts";

/** Options of `atomic agents list`, and of the same for skills and commands. */
export interface ListEntitiesFlags {
  /** Also lists the definitions whose names stand for another one. */
  readonly all?: boolean;
  readonly json?: boolean;
  /** Trusts the project first. */
  readonly trust?: boolean;
}

const MAX_DESCRIPTION_COLUMNS = 80;
const MAX_HINT_COLUMNS = 24;
const MAX_NAME_COLUMNS = 64;

/** `atomic agents|skills|commands list`: what can be used by name here, and what is wrong with the files that cannot. */
export async function listEntitiesCommand(
  environment: CliEnvironment,
  type: NamedType,
  flags: ListEntitiesFlags,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  await trustIfAsked(environment, workspace, flags);
  const loaded = await loadEntities(environment, workspace);
  const { registry } = loaded;
  const problems = loaded.problems.filter(({ types }) => types.includes(type));
  const all = registry.entries(type);
  const entries = all.filter(({ shadowedBy }) => flags.all || shadowedBy === undefined);
  const { stdout } = environment;
  if (flags.json) {
    stdout.write(`${formatJson({ [`${type}s`]: entries.map((entry) => asJson(entry, registry)), problems })}\n`);
    return ExitCode.done;
  }
  if (entries.length === 0) stdout.write(`No ${type}s were found here. ${whereToPut(type)}\n`);
  else {
    const rows = entries.map((entry) => rowOf(entry, registry));
    const header = [type.toUpperCase(), "FROM", type === "agent" ? "MODEL" : "ARGUMENTS", "DESCRIPTION"];
    stdout.write(`${formatTable(header, rows, { columns: tableColumns(stdout) })}\n`);
    if (entries.every(({ entity }) => entity.source.location === "builtin")) stdout.write(`\n${whereToPut(type)}\n`);
  }
  printProblems(environment, problems, `atomic ${type}s list --json`);
  tellLeftOut(environment, all);
  return ExitCode.done;
}

/** `atomic agents|skills|commands show NAME`: all that a definition says. */
export async function showEntityCommand(
  environment: CliEnvironment,
  { type, name }: { readonly type: NamedType; readonly name: string },
  flags: Pick<ListEntitiesFlags, "json" | "trust">,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  await trustIfAsked(environment, workspace, flags);
  const { registry } = await loadEntities(environment, workspace);
  const entity = findEntity(registry, type, name);
  tellLeftOut(environment, registry.entries(type), entity);
  tellRepeated(environment, registry, entity);
  const { stdout } = environment;
  if (flags.json) stdout.write(`${formatJson(entity)}\n`);
  else stdout.write(`${formatEntity(entity)}\n`);
  return ExitCode.done;
}

function asJson(entry: RegisteredEntity, registry: EntityRegistry): unknown {
  const { entity, shadowedBy } = entry;
  const { prompt: _prompt, fields: _fields, ...rest } = entity;
  const problem = problemOf(entry, registry);
  return {
    ...rest,
    ...(shadowedBy === undefined ? {} : { shadowedBy: shadowedBy.source }),
    ...(problem === undefined ? {} : { unusable: problem }),
  };
}

/** Why the name cannot be used, although it stands for this definition: one that precedes it has an error. */
function problemOf({ entity, shadowedBy }: RegisteredEntity, registry: EntityRegistry): DiscoveryProblem | undefined {
  return shadowedBy === undefined ? registry.problemOf(entity.type, entity.name) : undefined;
}

/** Where an entity comes from, without its file. */
export function describeSource({ source: { provider, location, plugin, isUntrusted = false } }: UnifiedEntity): string {
  if (location === "builtin") return "built-in";
  const more = [...(plugin === undefined ? [] : [`plugin ${plugin}`]), ...(isUntrusted ? ["not trusted"] : [])];
  return [provider, location, ...more].join(", ");
}

function rowOf(entry: RegisteredEntity, registry: EntityRegistry): readonly string[] {
  const { entity } = entry;
  const { type, name, vendorModel = "", argumentHint = "" } = entity;
  const detail = type === "agent" ? safeLine(vendorModel, MAX_NAME_COLUMNS) : safeLine(argumentHint, MAX_HINT_COLUMNS);
  return [safeLine(name, MAX_NAME_COLUMNS), describeSource(entity), detail, describeEntry(entry, registry)];
}

function describeEntry(entry: RegisteredEntity, registry: EntityRegistry): string {
  const { entity, shadowedBy } = entry;
  const description = safeLine(entity.description, MAX_DESCRIPTION_COLUMNS);
  const problem = problemOf(entry, registry);
  if (problem !== undefined) return `(cannot be used: ${formatProblem(problem)}) ${description}`;
  if (shadowedBy === undefined) return description;
  const other = shadowedBy.source.path ?? describeSource(shadowedBy);
  if (isLeftOut({ entity, shadowedBy })) return `(not used, as the project is not trusted: ${other} is) ${description}`;
  return `(shadowed by ${other}) ${description}`;
}

function formatEntity(entity: UnifiedEntity): string {
  const { name, description, aliases = [], model, vendorModel } = entity;
  const { argumentHint, agent, source, prompt } = entity;
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Name", name],
    ["Aliases", aliases.length === 0 ? undefined : aliases.join(", ")],
    ["Description", description],
    ["From", describeSource(entity)],
    ["File", source.path],
    ["Model", vendorModel === undefined || vendorModel === model ? model : `${vendorModel} (${model})`],
    ["Tools", describeTools(toolListOf(entity))],
    ["Agent", agent],
    ["Arguments", argumentHint],
  ];
  const lines = facts.flatMap(([title, value]) =>
    value === undefined ? [] : [`${title.padEnd(12)}${safeLine(value, Number.MAX_SAFE_INTEGER)}`],
  );
  return [...lines, "", safeText(prompt)].join("\n");
}

/** The limit that is in force, which a vendor may spell in a way that reads as another. */
function describeTools(list: readonly string[] | undefined): string | undefined {
  if (list === undefined) return undefined;
  const excluded = list.filter((name) => name.startsWith("!")).map((name) => name.slice(1));
  const named = list.filter((name) => !name.startsWith("!"));
  const allowed = named.includes("*") ? "all" : named.join(", ") || "none";
  return excluded.length === 0 ? allowed : `${allowed}, but never ${excluded.join(", ")}`;
}

/** Where the first definition of one's own belongs. */
function whereToPut(type: NamedType): string {
  const file = { agent: "agents/NAME.md", skill: "skills/NAME/SKILL.md", command: "commands/NAME.md" }[type];
  return `Write your own in .atomic/${file}, or use those of Claude Code, OpenCode and Copilot.`;
}
