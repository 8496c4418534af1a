import { recordOf, stringOf, type UnknownRecord } from "../../../contracts/index.ts";

/** An event of a session as Copilot sends it; its data is read, field by field, where it is needed. */
export interface CopilotEvent {
  readonly type: string;
  readonly data: UnknownRecord;
  /** The sub-agent it is about; absent for the session itself. */
  readonly agentId?: string;
}

/** Reads an event. Never throws; what is no event has an empty type. */
export function parseCopilotEvent(raw: unknown): CopilotEvent {
  const { type, data, agentId } = recordOf(raw);
  const id = stringOf(agentId);
  return { type: stringOf(type), data: recordOf(data), ...(id === "" ? {} : { agentId: id }) };
}
