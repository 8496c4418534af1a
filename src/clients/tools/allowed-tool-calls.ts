import { isDeepStrictEqual } from "node:util";
import type { AgentTurn } from "../turn/agent-turn.ts";

/** A call of a tool, under the agent's name of the tool. */
export interface NamedToolCall {
  readonly name: string;
  readonly input: unknown;
}

/**
 * The calls of Atomic's tools that were allowed in a turn and have not run yet. Other callers that know the address of the
 * tools, such as a command of the agent, have no call among them.
 */
export class AllowedToolCalls {
  readonly #calls = new WeakMap<AgentTurn, NamedToolCall[]>();

  allow(turn: AgentTurn, { name, input }: NamedToolCall): void {
    const calls = this.#calls.get(turn) ?? [];
    calls.push({ name, input: asReceived(input) });
    this.#calls.set(turn, calls);
  }

  /** Whether such a call was allowed. Each may run once. */
  take(turn: AgentTurn | undefined, { name, input }: NamedToolCall): boolean {
    const calls = turn === undefined ? undefined : this.#calls.get(turn);
    const found = calls?.findIndex((call) => call.name === name && isDeepStrictEqual(call.input, asReceived(input)));
    if (found === undefined || found === -1) return false;
    calls?.splice(found, 1);
    return true;
  }
}

/** A name of a tool, or of its server, as agents that allow few characters spell it. */
export function toAgentName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_");
}

/** How an input arrives over the wire: a missing one arrives as an empty one. */
function asReceived(input: unknown): unknown {
  return input === undefined || input === null ? {} : JSON.parse(JSON.stringify(input));
}
