import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { SessionConfig, ToolDefinition } from "../../../contracts/index.ts";
import type { HoldSlotOptions, MachineSlots } from "../../../system/index.ts";

/** Settings of {@link TurnSlots}. */
export interface TurnSlotsOptions {
  readonly slots: Pick<MachineSlots, "hold">;
  /** The {@link TurnSlots.id} of the program whose agent started this one. @default none */
  readonly inside?: string | undefined;
}

/** A session, and its agent. */
export interface SlotOwner {
  readonly agentType: string;
  readonly sessionId: string;
}

/**
 * The slots of the turns of a program. A turn that a callback of another turn begins, such as a tool that asks an agent, is
 * inside that turn: it must not wait for its slot.
 */
export class TurnSlots {
  /** Names the turns of this program for programs that its agents start. */
  readonly id = randomUUID();
  readonly #slots: TurnSlotsOptions["slots"];
  readonly #inside: string | undefined;
  /** The turn whose callback runs. */
  readonly #outer = new AsyncLocalStorage<string>();

  constructor({ slots, inside }: TurnSlotsOptions) {
    this.#slots = slots;
    this.#inside = inside;
  }

  /** The turn that a turn which begins now is inside of. */
  get inside(): string | undefined {
    return this.#outer.getStore() ?? this.#inside;
  }

  /** Executes a turn as soon as there is a slot. @throws as `MachineSlots.hold` */
  hold<T>(turn: () => Promise<T>, options: HoldSlotOptions): Promise<T> {
    return this.#slots.hold(turn, options);
  }

  /** The settings of a session with callbacks that know the turn which calls them. */
  withCallbacks(agentType: string, config: SessionConfig): SessionConfig {
    const { tools, onPermissionAsk, onQuestion, beforeTool } = config;
    const within = <T>(sessionId: string, callback: () => T): T =>
      this.#outer.run(this.#nameOf({ agentType, sessionId }), callback);
    return {
      ...config,
      ...(tools && { tools: tools.map((tool) => this.withHandler(agentType, tool)) }),
      ...(onPermissionAsk && {
        onPermissionAsk: (request, options) => within(request.sessionId, () => onPermissionAsk(request, options)),
      }),
      ...(onQuestion && {
        onQuestion: (question, options) => within(question.sessionId, () => onQuestion(question, options)),
      }),
      ...(beforeTool && {
        beforeTool: (call, options) => within(call.sessionId, () => beforeTool(call, options)),
      }),
    };
  }

  /** A tool whose handler knows the turn which calls it. */
  withHandler(agentType: string, tool: ToolDefinition): ToolDefinition {
    return {
      ...tool,
      handler: (input, context) =>
        this.#outer.run(this.#nameOf({ agentType, sessionId: context.sessionID }), () => tool.handler(input, context)),
    };
  }

  #nameOf({ agentType, sessionId }: SlotOwner): string {
    return JSON.stringify([this.id, agentType, sessionId]);
  }
}
