import { recordOf, stringOf, type UnknownRecord } from "../../../contracts/index.ts";

/** An event of a session as Copilot sends it. Its data is parsed where it is needed. */
export interface CopilotEvent {
  readonly type: string;
  readonly data: UnknownRecord;
  /** The sub-agent; absent for the session itself. */
  readonly agentId?: string;
}

/** Parses an event. Never throws; an invalid one has an empty type. */
export function parseCopilotEvent(raw: unknown): CopilotEvent {
  const { type, data, agentId } = recordOf(raw);
  const id = stringOf(agentId);
  return { type: stringOf(type), data: recordOf(data), ...(id === "" ? {} : { agentId: id }) };
}
