import { AsyncLocalStorage } from "node:async_hooks";
import type { ImportScope, ToolDefinition } from "../../contracts/index.ts";
import { given } from "../errors/given.ts";
import type { ClientProvider, RunServices, WorkflowResolver } from "./execution-context.ts";
import type { AgentDefinition } from "./named-definitions.ts";
import { NamedRegistry } from "./named-registry.ts";
import type { SubagentRunner } from "./subagent-runner.ts";

type Defaults = { -readonly [Name in "clients" | "workflows" | "subagents"]?: RunServices[Name] | undefined } & {
  tools?: NamedRegistry<ToolDefinition> | undefined;
  agents?: NamedRegistry<AgentDefinition> | undefined;
};

/**
 * Default services, for programs in which all runs share them. A run reads them once, when its part in a process starts;
 * later changes affect only later runs. This is the only state in the engine that belongs to no run.
 */
const defaults: Defaults = {};

/** The defaults of code that runs in a scope of its own. */
const scopes = new AsyncLocalStorage<Defaults>();

/** The file that is being imported. Code at the top of a module has no asynchronous context to distinguish files. */
const importing: { current: Defaults | undefined; last: Promise<unknown> } = {
  current: undefined,
  last: Promise.resolve(),
};

function current(): Defaults {
  return scopes.getStore() ?? importing.current ?? defaults;
}

/**
 * Runs code, and all that it starts, with default services of its own: those of the program, and empty registries. What it
 * registers is not seen outside, so that runs in one process do not share the registrations of their workflows.
 *
 * ```ts
 * await withServiceScope(async () => (await workflow.create()).run());
 * ```
 */
export function withServiceScope<T>(work: () => T): T {
  const { clients, workflows, subagents } = current();
  return scopes.run({ clients, workflows, subagents }, work);
}

/** A scope for what a file registers while it is imported. Two scopes never import at the same time. */
export function createImportScope(): ImportScope {
  const kept: Defaults = {};
  return {
    async load(importFile) {
      const turn = importing.last.then(async () => {
        importing.current = kept;
        try {
          return await scopes.run(kept, importFile);
        } finally {
          importing.current = undefined;
        }
      });
      importing.last = turn.catch(() => undefined); // the caller that loads this file receives its error
      return await turn;
    },
    apply() {
      const target = current();
      if (target === kept) return;
      target.clients ??= kept.clients;
      target.workflows ??= kept.workflows;
      target.subagents ??= kept.subagents;
      addMissing(kept.tools, getToolRegistry);
      addMissing(kept.agents, getSubagentRegistry);
    },
  };
}

function addMissing<Thing extends { readonly name: string }>(
  kept: NamedRegistry<Thing> | undefined,
  registryOf: () => NamedRegistry<Thing>,
): void {
  for (const thing of kept?.getAll() ?? []) if (!registryOf().has(thing.name)) registryOf().register(thing);
}

/** Sets the client provider of runs without `services.clients`; `undefined` removes it. */
export function setClientProvider(provider: ClientProvider | undefined): void {
  current().clients = provider;
}

/** The client provider of runs without `services.clients`, if set. */
export function getClientProvider(): ClientProvider | undefined {
  return current().clients;
}

/** Sets how runs without `services.workflows` find workflows by name; `undefined` removes it. */
export function setWorkflowResolver(resolver: WorkflowResolver | undefined): void {
  current().workflows = resolver;
}

/** How runs without `services.workflows` find workflows by name, if set. */
export function getWorkflowResolver(): WorkflowResolver | undefined {
  return current().workflows;
}

/** Sets the runner for sub-agents of runs without `services.subagents`; `undefined` removes it. */
export function setSubagentBridge(runner: SubagentRunner | undefined): void {
  current().subagents = runner;
}

/** The runner for sub-agents of runs without `services.subagents`, if set. */
export function getSubagentBridge(): SubagentRunner | undefined {
  return current().subagents;
}

/** The tools of runs without `services.tools`; created on first use. */
export function getToolRegistry(): NamedRegistry<ToolDefinition> {
  const scope = current();
  scope.tools ??= new NamedRegistry();
  return scope.tools;
}

/** Replaces the {@link getToolRegistry}; `undefined` removes it. */
export function setToolRegistry(registry: NamedRegistry<ToolDefinition> | undefined): void {
  current().tools = registry;
}

/** The agents of runs without `services.agents`; created on first use. */
export function getSubagentRegistry(): NamedRegistry<AgentDefinition> {
  const scope = current();
  scope.agents ??= new NamedRegistry();
  return scope.agents;
}

/** Replaces the {@link getSubagentRegistry}; `undefined` removes it. */
export function setSubagentRegistry(registry: NamedRegistry<AgentDefinition> | undefined): void {
  current().agents = registry;
}

/** A run's own services, completed by the defaults. */
export function withDefaultServices(own: RunServices = {}): RunServices {
  const { clients, workflows, subagents, tools, agents } = current();
  return {
    ...given({ clients, workflows, subagents, tools, agents }),
    ...own,
  };
}
