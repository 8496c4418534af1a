import type { HookFact } from "../hooks/hook-context.ts";

/** An event of a session for which hooks are called. */
export interface HookOccasion {
  readonly fact: HookFact;
  readonly sessionId: string;
  readonly workingDirectory: string;
  readonly permissionMode: "default" | "plan";
  readonly model?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether hooks have continued the turn that ends. */
  readonly isContinued: boolean;
}

/** What a vendor's hooks for an event receive. */
export interface VendorEvent<Name extends string = string> {
  readonly name: Name;
  readonly input: Readonly<Record<string, unknown>>;
  /** What matchers compare. Empty: all hooks match. */
  readonly matched: readonly string[];
  /** For a tool call: translates a changed input into the agent's spelling. */
  readonly restore?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}
