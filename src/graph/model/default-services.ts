import type { ToolDefinition } from "../../contracts/index.ts";
import { given } from "../errors/given.ts";
import type { ClientProvider, RunServices, WorkflowResolver } from "./execution-context.ts";
import type { AgentDefinition } from "./named-definitions.ts";
import { NamedRegistry } from "./named-registry.ts";
import type { SubagentRunner } from "./subagent-runner.ts";

/**
 * What runs are given that bring no services of their own: for programs with one set of them. A run reads it once, when
 * its part in a process begins; whoever sets something later changes the next run. This is the only state in the engine
 * that belongs to no run.
 */
const defaults: { -readonly [Name in "clients" | "workflows" | "subagents"]?: RunServices[Name] | undefined } & {
  tools?: NamedRegistry<ToolDefinition> | undefined;
  agents?: NamedRegistry<AgentDefinition> | undefined;
} = {};

/** Sets where runs without `services.clients` get their agents from; `undefined` takes it back. */
export function setClientProvider(provider: ClientProvider | undefined): void {
  defaults.clients = provider;
}

/** Where runs without `services.clients` get their agents from, if that was set. */
export function getClientProvider(): ClientProvider | undefined {
  return defaults.clients;
}

/** Sets how runs without `services.workflows` find workflows by name; `undefined` takes it back. */
export function setWorkflowResolver(resolver: WorkflowResolver | undefined): void {
  defaults.workflows = resolver;
}

/** How runs without `services.workflows` find workflows by name, if that was set. */
export function getWorkflowResolver(): WorkflowResolver | undefined {
  return defaults.workflows;
}

/** Sets what runs the sub-agents of runs without `services.subagents`; `undefined` takes it back. */
export function setSubagentBridge(runner: SubagentRunner | undefined): void {
  defaults.subagents = runner;
}

/** What runs the sub-agents of runs without `services.subagents`, if that was set. */
export function getSubagentBridge(): SubagentRunner | undefined {
  return defaults.subagents;
}

/** The tools of runs without `services.tools`; made when it is first asked for. */
export function getToolRegistry(): NamedRegistry<ToolDefinition> {
  defaults.tools ??= new NamedRegistry();
  return defaults.tools;
}

/** Replaces the {@link getToolRegistry}; `undefined` takes it back. */
export function setToolRegistry(registry: NamedRegistry<ToolDefinition> | undefined): void {
  defaults.tools = registry;
}

/** The agents of runs without `services.agents`; made when it is first asked for. */
export function getSubagentRegistry(): NamedRegistry<AgentDefinition> {
  defaults.agents ??= new NamedRegistry();
  return defaults.agents;
}

/** Replaces the {@link getSubagentRegistry}; `undefined` takes it back. */
export function setSubagentRegistry(registry: NamedRegistry<AgentDefinition> | undefined): void {
  defaults.agents = registry;
}

/** A run's own services, and the defaults for what it lacks. */
export function withDefaultServices(own: RunServices = {}): RunServices {
  const { clients, workflows, subagents, tools, agents } = defaults;
  return {
    ...given({ clients, workflows, subagents, tools, agents }),
    ...own,
  };
}
