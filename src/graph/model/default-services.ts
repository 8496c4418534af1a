import type { ToolDefinition } from "../../contracts/index.ts";
import { given } from "../errors/given.ts";
import type { ClientProvider, RunServices, WorkflowResolver } from "./execution-context.ts";
import type { AgentDefinition } from "./named-definitions.ts";
import { NamedRegistry } from "./named-registry.ts";
import type { SubagentRunner } from "./subagent-runner.ts";

/**
 * Default services, for programs in which all runs share them. A run reads them once, when its part in a process starts;
 * later changes affect only later runs. This is the only state in the engine that belongs to no run.
 */
const defaults: { -readonly [Name in "clients" | "workflows" | "subagents"]?: RunServices[Name] | undefined } & {
  tools?: NamedRegistry<ToolDefinition> | undefined;
  agents?: NamedRegistry<AgentDefinition> | undefined;
} = {};

/** Sets the client provider of runs without `services.clients`; `undefined` removes it. */
export function setClientProvider(provider: ClientProvider | undefined): void {
  defaults.clients = provider;
}

/** The client provider of runs without `services.clients`, if set. */
export function getClientProvider(): ClientProvider | undefined {
  return defaults.clients;
}

/** Sets how runs without `services.workflows` find workflows by name; `undefined` removes it. */
export function setWorkflowResolver(resolver: WorkflowResolver | undefined): void {
  defaults.workflows = resolver;
}

/** How runs without `services.workflows` find workflows by name, if set. */
export function getWorkflowResolver(): WorkflowResolver | undefined {
  return defaults.workflows;
}

/** Sets the runner for sub-agents of runs without `services.subagents`; `undefined` removes it. */
export function setSubagentBridge(runner: SubagentRunner | undefined): void {
  defaults.subagents = runner;
}

/** The runner for sub-agents of runs without `services.subagents`, if set. */
export function getSubagentBridge(): SubagentRunner | undefined {
  return defaults.subagents;
}

/** The tools of runs without `services.tools`; created on first use. */
export function getToolRegistry(): NamedRegistry<ToolDefinition> {
  defaults.tools ??= new NamedRegistry();
  return defaults.tools;
}

/** Replaces the {@link getToolRegistry}; `undefined` removes it. */
export function setToolRegistry(registry: NamedRegistry<ToolDefinition> | undefined): void {
  defaults.tools = registry;
}

/** The agents of runs without `services.agents`; created on first use. */
export function getSubagentRegistry(): NamedRegistry<AgentDefinition> {
  defaults.agents ??= new NamedRegistry();
  return defaults.agents;
}

/** Replaces the {@link getSubagentRegistry}; `undefined` removes it. */
export function setSubagentRegistry(registry: NamedRegistry<AgentDefinition> | undefined): void {
  defaults.agents = registry;
}

/** A run's own services, completed by the defaults. */
export function withDefaultServices(own: RunServices = {}): RunServices {
  const { clients, workflows, subagents, tools, agents } = defaults;
  return {
    ...given({ clients, workflows, subagents, tools, agents }),
    ...own,
  };
}
