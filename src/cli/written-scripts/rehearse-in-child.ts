import { isRecord, isText } from "../../contracts/index.ts";
import type { RehearseOptions, ScriptRehearsal } from "../../graph/index.ts";
import { commandOfFile } from "../loading/own-command.ts";
import { type OwnProgramEnd, runOwnProgram } from "../loading/run-own-program.ts";
import { MAX_REHEARSAL_BYTES, REHEARSAL_TIMEOUT_MS, REHEARSE_PROGRAM } from "./rehearse-request.ts";

/**
 * Rehearses a script in a process of its own that has limits of time and memory, and nothing of this one's environment. Throws
 * only the signal's reason. The time includes the start of the process.
 */
export async function rehearseInChild(
  script: { readonly path: string; readonly text: string },
  { maxAgents, signal }: RehearseOptions,
  timeoutMs: number = REHEARSAL_TIMEOUT_MS,
): Promise<ScriptRehearsal> {
  const ended = await runOwnProgram({
    ...commandOfFile(new URL("rehearse-program.ts", import.meta.url), [REHEARSE_PROGRAM]),
    env: { PATH: "/usr/bin:/bin" },
    request: { ...script, maxAgents },
    timeoutMs,
    signal,
  });
  return parseRehearsal(ended.result) ?? { agentCount: 0, problem: describeEnd(ended, timeoutMs) };
}

function describeEnd({ isTimeUp, end }: OwnProgramEnd, timeoutMs: number): string {
  if (isTimeUp) {
    return `With made-up answers it did not end within ${timeoutMs / 1_000} s. Look for a loop that never ends.`;
  }
  const memory = `${MAX_REHEARSAL_BYTES / 1_000_000_000} GB of memory`;
  return `With made-up answers it ended its process (${end}), as a script does that needs more than ${memory}.`;
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
