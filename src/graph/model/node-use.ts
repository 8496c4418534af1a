import type { ReasoningEffort, SessionConfig, ToolDefinition } from "../../contracts/index.ts";

/** A name that a node looks up in the run's services. Checks before a run read it: only names that the author wrote down. */
export type NodeUse =
  /** `agent`: a definition. `agentType`: a vendor's agent, or one of the settings. */
  | {
      readonly kind: "agent" | "agentType";
      readonly name: string;
      /** Where the author wrote it, as `path:line:column`. Absent if that is the node's own code. */
      readonly place?: string;
    }
  /** What an agent is to be set to. */
  | {
      readonly kind: "settings";
      readonly model?: string;
      readonly effort?: ReasoningEffort;
      /** The definition that the agent follows. @default none */
      readonly definition?: string;
      readonly place?: string;
    }
  | {
      readonly kind: "command" | "skill";
      readonly name: string;
      /** Absent if they are known only in a run. */
      readonly args?: string;
    }
  | {
      readonly kind: "tool";
      readonly name: string;
      /** Checks the arguments. Absent if they are known only in a run. @throws SchemaValidationError */
      readonly checkInput?: (tool: ToolDefinition) => Promise<void>;
    }
  | {
      /** The list of tools that an agent may call, which may also name tools that Atomic does not know. */
      readonly kind: "toolList";
      readonly names: readonly string[];
      /** Tools of the node's session that are not in the run's service. */
      readonly sessionTools: readonly ToolDefinition[];
    };

/** What a node uses of an agent: its definition, the vendor's agent and tools, as far as they are named. */
export function agentUses({
  agent,
  agentType,
  tools,
  sessionConfig,
}: {
  readonly agent?: string | undefined;
  readonly agentType?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly sessionConfig?: Pick<SessionConfig, "tools"> | undefined;
}): readonly NodeUse[] {
  return [
    ...(agent === undefined ? [] : [{ kind: "agent", name: agent } as const]),
    ...(agentType === undefined ? [] : [{ kind: "agentType", name: agentType } as const]),
    ...(tools === undefined
      ? []
      : [{ kind: "toolList", names: tools, sessionTools: sessionConfig?.tools ?? [] } as const]),
  ];
}
