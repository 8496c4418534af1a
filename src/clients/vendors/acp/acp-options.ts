import type { ClientOptions } from "../../options/client-options.ts";
import { ACP_PRESETS, type AcpPreset, type AcpPresetName } from "./acp-presets.ts";

/** Settings that every ACP agent has. */
interface AcpCommonOptions extends ClientOptions {
  /** The program's arguments. @default the preset's, else none */
  readonly args?: readonly string[];
  /** The method to authenticate with after the start, one of those that the agent names. @default none */
  readonly authMethod?: string;
  /** The session mode to set. @default the preset's that asks the most, else whatever the agent begins with */
  readonly mode?: string;
  /** What a person is told to run when the agent wants a login. @default the preset's, else the agent's own hint */
  readonly loginCommand?: string;
  /**
   * Runs an agent that lets Atomic decide only about the tool calls that it asks for, by its own rules, without a sandbox.
   * It has no effect on agents whose every call Atomic decides about.
   * @default false
   */
  readonly ungated?: boolean;
  /** Another folder than `vendorDirectory` in whose `node_modules` the package with the agent's program is looked for. */
  readonly programDirectory?: string;
}

/** Settings of `createAcpClient`: a preset, or the name and the command of any other agent. */
export type AcpOptions = AcpCommonOptions &
  (
    | {
        readonly preset: AcpPresetName;
        /** The agent's name in errors and events. @default the preset's name */
        readonly agentType?: string;
        /** The program's name, looked for on the PATH. @default the preset's */
        readonly command?: string;
      }
    | { readonly preset?: undefined; readonly agentType: string; readonly command: string }
  );

/** The agent's name in errors and events. */
export function agentTypeOf(options: AcpOptions): string {
  return options.agentType ?? options.preset ?? "acp";
}

/** What is known about the agent; nothing about one without a preset. */
export function presetOf(options: AcpOptions): AcpPreset | undefined {
  return options.preset === undefined ? undefined : ACP_PRESETS[options.preset];
}

/** Whether something holds the agent to the permission policy, or to a sandbox, or the user does without. */
export function mayStart(options: AcpOptions): boolean {
  const hasSandbox = options.sandbox !== undefined;
  return options.ungated === true || hasSandbox || presetOf(options)?.gate === "every-call";
}
