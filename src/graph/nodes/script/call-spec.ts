import type { JsonObject } from "../../../contracts/index.ts";
import type { GraphCode } from "../../compile/graph-code.ts";
import { given } from "../../errors/given.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { agentUses } from "../../model/node-use.ts";
import { annotation, type BaseState, defineState } from "../../state/annotation.ts";
import type { StandardSchema } from "../../state/standard-schema.ts";
import { createStateRules } from "../../state/state-rules.ts";
import { subgraphNode } from "../flow/subgraph-node.ts";
import { askUserNode } from "../people/ask-user-node.ts";
import { AGENT_RETRY } from "../shared/agent-retry.ts";
import { shorten } from "../shared/shorten.ts";
import { THROUGH_SERVICES } from "../shared/through-services.ts";
import type { DelegatedWork } from "../subagents/delegate.ts";
import { delegateApart, mergeApart } from "../subagents/work-apart.ts";
import { shellNode } from "../tools/shell-node.ts";

/** How hard a script's agent thinks. */
export type ScriptEffort = "none" | "low" | "medium" | "high" | "max";

/** What a call of a script does. The journal keeps it: it has JSON values only. */
export type CallSpec = {
  /** The id of the call's node. */
  readonly id: string;
  /** What people see. */
  readonly title: string;
} & (
  | {
      readonly kind: "agent";
      readonly prompt: string;
      readonly agentType?: string;
      readonly model?: string;
      readonly effort?: ScriptEffort;
      readonly schema?: JsonObject;
      readonly isolation?: "worktree";
    }
  | {
      readonly kind: "shell";
      readonly command: string;
      readonly workingDirectory?: string;
      readonly timeoutMs?: number;
    }
  | {
      readonly kind: "ask";
      readonly question: string;
      readonly header?: string;
      readonly options?: readonly { readonly label: string; readonly description?: string }[];
    }
  | { readonly kind: "workflow"; readonly workflow: string; readonly input: JsonObject }
);

/** The state of a call. The value is null until its node is done, and for a call that was skipped. */
const CallState = defineState({ value: annotation<unknown>(null) });

const CALL_RULES = createStateRules(CallState);

interface CallStateValues extends BaseState {
  readonly value: unknown;
}

/** The graph of a call. Must not throw: the journal has the specs of calls. */
export function codeOfCall(spec: CallSpec): GraphCode {
  // The cast is true: a graph runs only with states of its own type.
  const node = nodeOfCall(spec) as NodeDefinition;
  const { id } = spec;
  const instructions = [{ op: "task", id, node }, { op: "end" }] as const;
  return {
    program: { instructions, catches: [], pcOfNode: new Map([[id, 0]]), fingerprint: spec.kind },
    rules: CALL_RULES,
  };
}

function nodeOfCall(spec: CallSpec): NodeDefinition<CallStateValues> {
  const { id, title } = spec;
  switch (spec.kind) {
    case "agent":
      return agentOfCall(spec);
    case "shell":
      return shellNode<CallStateValues>({
        id,
        name: title,
        command: spec.command,
        ...given({ workingDirectory: spec.workingDirectory, timeout: spec.timeoutMs }),
        outputMapper: (result) => ({ value: result }),
      });
    case "ask":
      return askUserNode<CallStateValues, unknown>({
        id,
        name: title,
        options: { question: spec.question, ...given({ header: spec.header, options: spec.options }) },
        outputMapper: (value) => ({ value }),
      });
    case "workflow":
      return subgraphNode<CallStateValues, BaseState>({
        id,
        name: title,
        subgraph: spec.workflow,
        inputMapper: () => spec.input,
        outputMapper: ({ outputs }) => ({ value: onlyValueOf(outputs) }),
      });
  }
}

/** What a workflow came to: the output of its only node with one, or else all outputs by node. */
function onlyValueOf(outputs: Readonly<Record<string, unknown>>): unknown {
  const values = Object.values(outputs);
  return values.length === 1 ? values[0] : outputs;
}

function agentOfCall(spec: Extract<CallSpec, { readonly kind: "agent" }>): NodeDefinition<CallStateValues> {
  const { id, title, prompt, agentType, model, effort, schema, isolation } = spec;
  const work: DelegatedWork<CallStateValues> = {
    agentName: agentType ?? "agent",
    isDirect: true,
    isUndefined: agentType === undefined,
    // As the definition, or the default agent, does it.
    task: prompt,
    ...given({ model, isolation, outputSchema: schema && schemaOf(schema) }),
    ...(effort === undefined ? {} : { sessionConfig: { reasoningEffort: effort } }),
  };
  return {
    id,
    type: "agent",
    name: title,
    title: () => title,
    ...given({ model }),
    retry: AGENT_RETRY,
    ...THROUGH_SERVICES,
    uses: agentType === undefined ? [] : agentUses({ ...work, agent: agentType, agentType: undefined }),
    async execute(context) {
      const result = await delegateApart(title, work, context, { subject: shorten(title) });
      if (result.worktree !== undefined) await mergeApart(result.worktree, work, context);
      return { stateUpdate: { value: schema === undefined ? result.output : result.structured } };
    },
  };
}

/** A JSON Schema as a schema of the engine. The agent's client validates the answer, and asks again. */
function schemaOf(schema: JsonObject): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "json-schema",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => ({ ...schema }) },
    },
  };
}
