/**
 * The program that rehearses a script that an agent wrote. It is a process of its own with an empty environment, so that a
 * script that never returns, or that leaves its context, reaches nothing of Atomic. The script comes on standard input as
 * JSON, and the result goes to an extra pipe.
 */
import { readFileSync, writeSync } from "node:fs";
import process from "node:process";
import { Worker } from "node:worker_threads";
import { isRecord, messageOf } from "../../contracts/index.ts";
import type { ScriptRehearsal } from "../../graph/index.ts";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import { ExitCode } from "../exit-code.ts";
import { type RehearsedScript, rehearseScript } from "./rehearse-script.ts";

/** How much memory a rehearsal may use, in bytes. */
const MAX_MEMORY_BYTES = 1_000_000_000;

/** The part that runs beside the process's own thread, which may be in a loop. */
const WATCH_MEMORY = `
const { workerData } = require("node:worker_threads");
const never = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  Atomics.wait(never, 0, 0, 100);
  if (process.memoryUsage().rss > workerData) process.kill(process.pid, "SIGKILL");
}
`;

/** @throws errors of reading and parsing */
function readRequest(): RehearsedScript | undefined {
  const request: unknown = JSON.parse(readFileSync(0, "utf8"));
  if (!isRecord(request)) return undefined;
  const { path, text, maxAgents } = request;
  if (typeof path !== "string" || typeof text !== "string" || typeof maxAgents !== "number") return undefined;
  return { path, text, maxAgents };
}

async function rehearse(script: RehearsedScript): Promise<ScriptRehearsal> {
  try {
    return await rehearseScript(script);
  } catch (error) {
    return { agentCount: 0, problem: messageOf(error) };
  }
}

const script = process.stdin.isTTY ? undefined : readRequest();
if (script === undefined) {
  writeSync(2, "error: only Atomic itself can use --rehearse-script (see: atomic --help)\n");
  process.exit(ExitCode.usage);
}
// Without a second thread, only such scripts are not ended.
new Worker(WATCH_MEMORY, { eval: true, workerData: MAX_MEMORY_BYTES }).on("error", () => undefined).unref();
writeSync(FIRST_EXTRA_PIPE, `${JSON.stringify(await rehearse(script))}\n`);
process.exit(0);
