import type { ToolDefinition } from "../../contracts/index.ts";

/** A name that a node looks up in the run's services. Checks before a run read it: only names that the author wrote down. */
export type NodeUse =
  /** `agent`: a definition. `agentType`: a vendor's agent, or one of the settings. */
  | { readonly kind: "agent" | "agentType"; readonly name: string }
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
    };

/** What a node uses of an agent: its definition and the vendor's agent, as far as they are named. */
export function agentUses({
  agent,
  agentType,
}: {
  readonly agent?: string | undefined;
  readonly agentType?: string | undefined;
}): readonly NodeUse[] {
  return [
    ...(agent === undefined ? [] : [{ kind: "agent", name: agent } as const]),
    ...(agentType === undefined ? [] : [{ kind: "agentType", name: agentType } as const]),
  ];
}
