import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, noRedaction } from "../../contracts/index.ts";
import { replaceFile } from "../../system/index.ts";
import type {
  SubagentResult,
  SubagentRunner,
  SubagentSession,
  SubagentSpawnOptions,
} from "../model/subagent-runner.ts";
import type { SubagentSessionManager } from "./subagent-session-manager.ts";
import { waitForAll } from "./wait-for-all.ts";

/** Settings of a {@link SubagentGraphBridge}. */
export interface SubagentGraphBridgeOptions {
  readonly sessionManager: SubagentSessionManager;
  /** The folder of the session whose `agents/` keeps the results. @default that of the run which delegates the task */
  readonly sessionDir?: string;
}

/**
 * Runs the sub-agents of graphs with a {@link SubagentSessionManager}, and keeps each result in a file of the session:
 * `agents/{id}.json`, with the whole answer.
 *
 * ```ts
 * const sessionManager = new SubagentSessionManager({ clients: () => client });
 * await workflow.run({}, { services: { subagents: new SubagentGraphBridge({ sessionManager }) } });
 * ```
 */
export class SubagentGraphBridge implements SubagentRunner {
  readonly sessionManager: SubagentSessionManager;
  #sessionDir: string | undefined;

  constructor({ sessionManager, sessionDir }: SubagentGraphBridgeOptions) {
    this.sessionManager = sessionManager;
    this.#sessionDir = sessionDir;
  }

  /** Sets the folder for results of tasks that name none. */
  setSessionDir(dir: string): void {
    this.#sessionDir = dir;
  }

  /**
   * Runs a sub-agent to its end and writes its result. A failure is a result. A result that cannot be written is complete in
   * memory, and the log says why.
   * @throws as `SubagentSessionManager.spawn`
   */
  async spawn(options: SubagentSpawnOptions): Promise<SubagentResult> {
    let session: SubagentSession | undefined;
    const result = await this.sessionManager.spawn({
      ...options,
      onSession(opened) {
        session = opened;
        return options.onSession?.(opened);
      },
    });
    return await this.#keep(options, result, session);
  }

  /** Runs sub-agents side by side and writes their results. @throws as `SubagentSessionManager.spawnParallel` */
  async spawnParallel(agents: readonly SubagentSpawnOptions[]): Promise<SubagentResult[]> {
    return await waitForAll(agents.map((options) => this.spawn(options)));
  }

  async #keep(
    options: SubagentSpawnOptions,
    result: SubagentResult,
    { agentType, sessionId }: Partial<SubagentSession> = {},
  ): Promise<SubagentResult> {
    const { agentName, task, sessionDirectory = this.#sessionDir, redactor = noRedaction } = options;
    if (sessionDirectory === undefined) return result;
    const { fullOutput, ...short } = result;
    try {
      const record = { agentName, agentType, sessionId, task, ...short, output: fullOutput ?? short.output };
      const kept = redactor.value(record);
      const outputPath = await saveSubagentOutput(sessionDirectory, options.agentId, kept);
      return { ...short, outputPath };
    } catch (error) {
      options.onLog?.(`The result of the sub-agent "${agentName}" could not be kept in a file: ${messageOf(error)}`);
      return result;
    }
  }
}

/**
 * Writes what a sub-agent achieved to `agents/{id}.json` in a session's folder, all or nothing. Of an id that is no simple
 * name, the file's name has the last part and a hash.
 *
 * @returns the path of the file
 * @throws what the file system throws
 */
export async function saveSubagentOutput(
  sessionDir: string,
  agentId: string,
  result: Partial<SubagentResult>,
): Promise<string> {
  const folder = join(sessionDir, "agents");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${fileNameOf(agentId)}.json`);
  const { cause: _error, isTruncated: _cut, ...record } = result as Partial<SubagentResult> & { cause?: unknown };
  await replaceFile(
    path,
    `${JSON.stringify({ ...record, agentId, finishedAt: new Date().toISOString() }, undefined, 2)}\n`,
  );
  return path;
}

/** The longest readable part of a file's name. */
const MAX_NAME_LENGTH = 100;

function fileNameOf(agentId: string): string {
  // Not every file system distinguishes capital letters.
  if (/^[a-z0-9][a-z0-9_-]*$/.test(agentId) && agentId.length <= MAX_NAME_LENGTH) return agentId;
  const last = agentId.slice(agentId.lastIndexOf("/") + 1);
  const readable = last.replace(/[^a-z0-9_-]+/gi, "-").replace(/^-|-$/g, "");
  const hash = createHash("sha256").update(agentId).digest("hex").slice(0, 8);
  return `${readable.slice(0, MAX_NAME_LENGTH)}-${hash}`;
}
