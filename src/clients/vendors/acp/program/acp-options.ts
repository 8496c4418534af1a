import type { ClientOptions } from "../../../options/client-options.ts";
import { ACP_PRESETS, type AcpPreset, type AcpPresetName } from "./acp-presets.ts";

/** Settings that every ACP agent has. */
interface AcpCommonOptions extends ClientOptions {
  /** The program's arguments. @default the preset's, else none */
  readonly args?: readonly string[];
  /** The method to authenticate with after the start, one of those that the agent names. @default none */
  readonly authMethod?: string;
  /** The session mode to set. @default the preset's mode with the most approvals, else the agent's own default */
  readonly mode?: string;
  /** The command that errors name for signing in. @default the preset's, else the agent's own hint */
  readonly loginCommand?: string;
  /**
   * Allows an agent to run without a sandbox although its own rules decide which tool calls need Atomic's approval. No
   * effect on agents that need approval for every call.
   * @default false
   */
  readonly ungated?: boolean;
  /** Another folder besides `vendorDirectory` whose `node_modules` may contain the agent's program. @default none */
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

/** The agent's preset, if it has one. */
export function presetOf(options: AcpOptions): AcpPreset | undefined {
  return options.preset === undefined ? undefined : ACP_PRESETS[options.preset];
}

/** Whether the permission policy or a sandbox controls the agent, or the user accepts an agent without either. */
export function mayStart(options: AcpOptions): boolean {
  const hasSandbox = options.sandbox !== undefined;
  return options.ungated === true || hasSandbox || presetOf(options)?.gate === "every-call";
}
