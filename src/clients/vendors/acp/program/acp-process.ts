import { mkdir } from "node:fs/promises";
import path from "node:path";
import { type AgentProcess, startAgentProcess } from "../../../process/agent-process.ts";
import { openSandbox } from "../../../sandbox/open-sandbox.ts";
import { buildAcpEnvironment } from "./acp-environment.ts";
import { type AcpOptions, agentTypeOf, presetOf } from "./acp-options.ts";
import type { AcpCallDecider, AcpPreparedProcess, AcpPresetSettings } from "./acp-preparation.ts";

/** An agent's process. */
export interface AcpProcess extends AgentProcess {
  /** What was prepared for it. */
  readonly prepared: AcpPreparedProcess | undefined;
}

/** Starts the program after its preparation, which is removed when the program ends. */
export async function startAcpProcess(
  options: AcpOptions,
  parts: {
    readonly program: string;
    readonly settings: AcpPresetSettings;
    readonly signal: AbortSignal | undefined;
    readonly decide: AcpCallDecider;
    readonly openToolPort: (() => Promise<number>) | undefined;
  },
): Promise<AcpProcess> {
  const { program, settings, signal, decide, openToolPort } = parts;
  await Promise.all((settings.folders ?? []).map((folder) => mkdir(folder, { recursive: true })));
  const prepared = await settings.prepare?.(decide);
  try {
    const env = prepared?.env ?? buildAcpEnvironment(options, settings);
    const { workingDirectory } = options;
    const sandbox = await openSandbox(options, {
      agentType: agentTypeOf(options),
      kind: options.preset,
      program,
      env,
      workingDirectory,
      readable: [...(settings.folders ?? []), ...(prepared?.readable ?? [])],
      writable: prepared?.writable,
      ports: [
        ...(prepared?.ports ?? []),
        ...(options.sandbox !== undefined && openToolPort !== undefined ? [await openToolPort()] : []),
      ],
    });
    const agent = startAgentProcess({
      agentType: agentTypeOf(options),
      command: [path.resolve(program), ...(options.args ?? presetOf(options)?.args ?? []), ...settings.args],
      env,
      workingDirectory: prepared?.workingDirectory ?? workingDirectory,
      sandbox,
      hasInput: true,
      signal,
    });
    const released = agent.ended.then(() => prepared?.release());
    return { ...agent, stop: () => agent.stop().then(() => released), prepared };
  } catch (error) {
    await prepared?.release();
    throw error;
  }
}
