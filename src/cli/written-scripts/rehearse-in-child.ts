import { Readable } from "node:stream";
import { isRecord, isText, messageOf } from "../../contracts/index.ts";
import type { RehearseOptions, ScriptRehearsal } from "../../graph/index.ts";
import { FIRST_EXTRA_PIPE, startProcessGroup } from "../../system/index.ts";
import { commandOfFile } from "../loading/own-command.ts";

/** The first argument that makes a compiled Atomic the program that rehearses a script. */
const REHEARSE_PROGRAM = "--rehearse-script";

/** How long a rehearsal may take, in milliseconds, the start of its process included. */
export const REHEARSAL_TIMEOUT_MS = 30_000;

/** A longer result is none. */
const MAX_RESULT_LENGTH = 100_000;

/**
 * Rehearses a script in a process of its own that has a time limit and nothing of this one's environment. Throws only the
 * signal's reason.
 */
export async function rehearseInChild(
  script: { readonly path: string; readonly text: string },
  { maxAgents, signal }: RehearseOptions,
  timeoutMs: number = REHEARSAL_TIMEOUT_MS,
): Promise<ScriptRehearsal> {
  signal.throwIfAborted();
  const { command, folder } = commandOfFile(new URL("rehearse-program.ts", import.meta.url), [REHEARSE_PROGRAM]);
  const group = startProcessGroup(command, {
    workingDirectory: folder,
    env: { PATH: "/usr/bin:/bin" },
    hasInput: true,
    extraPipes: 1,
    graceMs: 0,
  });
  const stop = (): void => void group.stop();
  signal.addEventListener("abort", stop, { once: true });
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    stop();
  }, timeoutMs);
  const { leader } = group;
  let failure: string | undefined;
  leader.once("error", (error) => {
    failure = messageOf(error);
  });
  leader.stdout?.resume();
  leader.stderr?.resume();
  // A program that has ended reads nothing.
  leader.stdin?.on("error", () => undefined).end(JSON.stringify({ ...script, maxAgents }));
  let result = "";
  // The type knows the first five only.
  const pipe: unknown = Object.values(leader.stdio)[FIRST_EXTRA_PIPE];
  if (pipe instanceof Readable) {
    pipe.on("data", (chunk: Buffer) => {
      if (result.length < MAX_RESULT_LENGTH) result += chunk.toString();
    });
  }
  await group.ended;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (isOver) return { agentCount: 0, problem: describeEndless(timeoutMs) };
  return (
    parseRehearsal(result) ?? { agentCount: 0, problem: `It ended its process: ${failure ?? "without a result"}.` }
  );
}

function describeEndless(timeoutMs: number): string {
  return `With made-up answers it did not end within ${timeoutMs / 1_000} s. Look for a loop that never ends.`;
}

/** What the program has sent. A script that has left its context may have changed it. */
function parseRehearsal(text: string): ScriptRehearsal | undefined {
  let result: unknown;
  try {
    result = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(result) || !Number.isSafeInteger(result.agentCount)) return undefined;
  const { agentCount, problem } = result;
  return { agentCount: Number(agentCount), ...(isText(problem) ? { problem } : {}) };
}
