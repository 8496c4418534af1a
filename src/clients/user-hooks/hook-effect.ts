/** What a hook wants. Empty: it only listens. */
export interface HookEffect {
  /** The call, the message, the approval, the compaction or the end of the turn is blocked, for this reason. */
  readonly block?: string;
  /** A person must approve the call, for this reason, whatever the policy allows. */
  readonly ask?: string;
  /** The new input of the call, in the hook's vendor's spelling. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The new text of the message. */
  readonly prompt?: string;
  /** What the agent must know about the event that has happened. */
  readonly feedback?: string;
  /** Something for the agent to know. */
  readonly context?: string;
  /** The turn ends, for this reason. */
  readonly stop?: string;
  /** A message for the user. */
  readonly notice?: string;
  /** What went wrong in the hook. */
  readonly problem?: string;
}

/** No decision. */
export const NO_EFFECT: HookEffect = {};

/** A text, or undefined if there is nothing in it. */
export function filledText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** An effect without its undefined fields. */
export function effectOf(fields: { readonly [Name in keyof HookEffect]: HookEffect[Name] | undefined }): HookEffect {
  // The filter removes what the type does not allow.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as HookEffect;
}

/** The first text that is there. */
export function firstOf(effects: readonly HookEffect[], name: "block" | "ask" | "stop"): string | undefined {
  return effects.map((effect) => effect[name]).find((text) => text !== undefined);
}
