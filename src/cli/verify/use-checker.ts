import {
  AtomicError,
  type DiscoveryProblem,
  listKnownNames,
  nearestName,
  type PermissionPolicy,
} from "../../contracts/index.ts";
import { type EntityRegistry, shortenCommand } from "../../discovery/index.ts";
import {
  type CompiledGraph,
  getToolRegistry,
  type NamedKind,
  type NamedServices,
  type NodeDefinition,
  type NodeUse,
  type RunServices,
  SchemaValidationError,
} from "../../graph/index.ts";
import { describeMisspelledTools } from "../../graph/run-kit.ts";
import { knownAgents } from "../agents/agent-types.ts";
import type { Config } from "../config/config.ts";
import { createEntityServices } from "../entities/entity-services.ts";
import { findBlockedCommands } from "../entities/expand-entity.ts";
import { loadEntities } from "../entities/load-entities.ts";
import { type OpenToolsPlace, openTools, toolsOfRun } from "../tools/open-tools.ts";
import { nodesWithin } from "./subgraph-calls.ts";

/** What a node uses and a run would not find or not accept. */
export type UseProblem = Omit<DiscoveryProblem, "path">;

/** Settings of {@link createUseChecker}. */
export interface UseCheckerOptions extends OpenToolsPlace {
  readonly config: Config;
  /** The agent of runs. */
  readonly agent: string;
  readonly permissions: PermissionPolicy;
  readonly isSandboxed: boolean;
  /** Receives a line about each broken file of tools. */
  readonly tell: (line: string) => void;
}

/** Checks the names that nodes use before a run. */
export interface UseChecker {
  /** The definitions and tools that a run would find; no prompt is expanded. Call it in the run's service scope. */
  services(): Pick<RunServices, "agents" | "skills" | "commands" | "tools">;
  /** Looks up all names that are known before a run. Call it in the service scope in which the graph was created. */
  findProblems(graph: CompiledGraph): Promise<readonly UseProblem[]>;
}

/** Finds the definitions and tools of a call once, for all its graphs. */
export function createUseChecker(options: UseCheckerOptions): UseChecker {
  const { environment, workspace, projectDirectory, permissions } = options;
  const { workingDirectory } = workspace;
  const tools = openTools(options, options.tell);
  let loading: Promise<EntityRegistry> | undefined;
  const load = (): Promise<EntityRegistry> => {
    loading ??= loadEntities(environment, workspace, { projectDirectory }).then(({ registry }) => registry);
    return loading;
  };
  const toolNames = async (): Promise<readonly string[]> => (await tools.load()).registry.names();
  const place = { workingDirectory, projectDirectory, permissions };
  const services = (): ReturnType<UseChecker["services"]> => ({
    tools: toolsOfRun(tools),
    ...createEntityServices({ load, agent: options.agent, ...place, isRehearsal: true }),
  });
  return {
    services,
    findProblems: (graph) =>
      findUseProblems(graph, { ...options, workingDirectory, services: services(), load, toolNames }),
  };
}

/** With what {@link findUseProblems} compares names. */
export interface UsePlace {
  readonly config: Config;
  readonly services: Pick<RunServices, "agents" | "skills" | "commands" | "tools">;
  readonly load: () => Promise<EntityRegistry>;
  readonly permissions: PermissionPolicy;
  readonly workingDirectory: string;
  readonly projectDirectory: string;
  readonly isSandboxed: boolean;
  /** The names of all tools of files. @default only exclusions are checked, in lists of tools */
  readonly toolNames?: () => Promise<readonly string[]>;
  /** Why the run's agent cannot be set to this; undefined if it can, or if only the run shows. @default nothing is known */
  readonly describeUnsettable?: (settings: SettingsUse) => Promise<string | undefined>;
}

/** What an agent is to be set to. */
export type SettingsUse = Extract<NodeUse, { readonly kind: "settings" }>;

/** Looks up the names that the nodes of a graph use. Call it in the service scope in which the graph was created. */
export async function findUseProblems(graph: CompiledGraph, place: UsePlace): Promise<readonly UseProblem[]> {
  const problems: UseProblem[] = [];
  for (const node of nodesWithin(graph))
    for (const use of node.uses ?? []) problems.push(...(await checkUse(node, use, place)));
  return problems;
}

type NamedUse = Exclude<NodeUse, { readonly kind: "toolList" | "settings" }>;

async function checkUse(node: NodeDefinition, use: NodeUse, place: UsePlace): Promise<readonly UseProblem[]> {
  const { config, services } = place;
  if (use.kind === "toolList") return await checkToolList(node, use, place);
  if (use.kind === "settings") return await checkSettings(node, use, place);
  const { kind, name } = use;
  if (kind === "agentType") return knownAgents(config).includes(name) ? [] : [missing(node, use, knownAgents(config))];
  try {
    const named: Record<NamedKind, NamedServices<unknown> | undefined> = {
      agent: services.agents,
      command: services.commands,
      skill: services.skills,
      tool: services.tools,
    };
    if ((await named[kind]?.find(name)) === undefined) return [missing(node, use, named[kind]?.names() ?? [])];
    if (kind === "agent") return await checkAgentTools(node, name, place);
    if (kind === "command" || kind === "skill") return await checkPrompt(node, use, place);
    if (kind === "tool") return await checkInput(node, use, place);
    return [];
  } catch (error) {
    // A definition or a tool of a project that is not trusted.
    if (error instanceof AtomicError) return [problemOf(`The node "${node.id}" cannot work: ${error.message}`, "")];
    throw error;
  }
}

/** A definition may be for another agent. */
async function checkSettings(
  node: NodeDefinition,
  use: SettingsUse,
  { services, describeUnsettable }: UsePlace,
): Promise<readonly UseProblem[]> {
  const { definition } = use;
  let isOfRun = true;
  try {
    if (definition !== undefined) isOfRun = (await services.agents?.find(definition))?.agentType === undefined;
  } catch (error) {
    // The definition is looked up for its name as well, which reports the error.
    if (!(error instanceof AtomicError)) throw error;
  }
  const reason = isOfRun ? await describeUnsettable?.(use) : undefined;
  if (reason === undefined) return [];
  return [
    problemOf(
      `The node "${node.id}"${whereOf(use)} cannot work: ${reason}`,
      "Remove the option, or use another agent.",
    ),
  ];
}

function whereOf({ place }: { readonly place?: string }): string {
  return place === undefined ? "" : ` (${place})`;
}

/** An agent may have a tool of that name, so only an exclusion that excludes nothing is an error. */
async function checkToolList(
  { id }: NodeDefinition,
  { names, sessionTools }: Extract<NodeUse, { readonly kind: "toolList" }>,
  { toolNames, services }: Pick<UsePlace, "toolNames" | "services">,
): Promise<readonly UseProblem[]> {
  const registered = [...getToolRegistry().names(), ...sessionTools.map(({ name }) => name)];
  if (toolNames !== undefined) return describeMisspelledTools(names, [...registered, ...(await toolNames())], id);
  const errorsWith = (own: readonly string[]): readonly UseProblem[] =>
    describeMisspelledTools(names, own, id).filter(({ severity }) => severity === "error");
  if (errorsWith(registered).length === 0) return [];
  // What seems to be misspelled may be a tool of a file. Only a file that can define it is loaded.
  const excluded = names.map((name) => /^\s*!\s*([^\s(]+)/.exec(name)?.[1]).filter((name) => name !== undefined);
  const own = await Promise.all(excluded.map(async (name) => ((await services.tools?.find(name)) ? [name] : [])));
  return errorsWith([...registered, ...own.flat()]);
}

/** The tools that an agent's definition excludes. Of one in a file, `list` and `doctor` report all other names. */
async function checkAgentTools(
  node: NodeDefinition,
  name: string,
  { services }: UsePlace,
): Promise<readonly UseProblem[]> {
  const { tools = [] } = (await services.agents?.find(name)) ?? {};
  return await checkToolList(node, { kind: "toolList", names: tools, sessionTools: [] }, { services });
}

async function checkInput(
  { id }: NodeDefinition,
  { name, checkInput }: Extract<NodeUse, { readonly kind: "tool" }>,
  { services }: UsePlace,
): Promise<readonly UseProblem[]> {
  const tool = await services.tools?.find(name);
  try {
    if (tool !== undefined) await checkInput?.(tool);
    return [];
  } catch (error) {
    if (!(error instanceof SchemaValidationError)) throw error;
    return [problemOf(`The node "${id}" would fail: ${error.message}`, "Correct its args.")];
  }
}

/** Arguments that only a run knows do not change which commands a prompt runs. */
async function checkPrompt(
  { id }: NodeDefinition,
  { kind, name, args }: Extract<NodeUse, { readonly kind: "command" | "skill" }>,
  place: UsePlace,
): Promise<readonly UseProblem[]> {
  const entity = (await place.load()).get(kind, name);
  if (entity === undefined) return [];
  const blocked = await findBlockedCommands(entity, { ...place, args });
  return blocked.map(({ effect, command, reason, remedy }): UseProblem => {
    const what = `The prompt of the ${kind} "${entity.name}", which the node "${id}" uses, runs the command "${shortenCommand(command)}", which`;
    return effect === "deny"
      ? problemOf(`${what} is denied: ${reason}`, remedy || "Change the prompt or the permissions.")
      : { ...problemOf(`${what} requires approval: ${reason}`, remedy), severity: "warning" };
  });
}

function missing({ id }: NodeDefinition, use: NamedUse, known: readonly string[]): UseProblem {
  const { kind, name } = use;
  const noun = kind === "agentType" ? "agent type" : kind;
  const where = whereOf("place" in use ? use : {});
  return problemOf(
    `The node "${id}"${where} needs the ${noun} "${name}", which does not exist`,
    remedyFor(noun, name, known),
  );
}

/** The name that was meant, or all that there are. */
export function remedyFor(noun: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  return listKnownNames(noun, known);
}

function problemOf(message: string, remedy: string): UseProblem {
  return { message, remedy, severity: "error" };
}
