/**
 * The program that rehearses a script that an agent wrote. It is a process of its own with an empty environment, so that a
 * script that never returns, or that leaves its context, reaches nothing of Atomic. The script comes on standard input as
 * JSON, and the result goes to an extra pipe.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../contracts/index.ts";
import type { ScriptRehearsal } from "../../graph/index.ts";
import { FIRST_EXTRA_PIPE } from "../../system/index.ts";
import { readOwnRequest } from "../loading/read-own-request.ts";
import { isRehearsedScript, MAX_REHEARSAL_BYTES, REHEARSE_PROGRAM, type RehearsedScript } from "./rehearse-request.ts";
import { rehearseScript } from "./rehearse-script.ts";

/** The part that runs beside the process's own thread, which may be in a loop. */
const WATCH_MEMORY = `
const { workerData } = require("node:worker_threads");
const never = new Int32Array(new SharedArrayBuffer(4));
for (;;) {
  Atomics.wait(never, 0, 0, 100);
  if (process.memoryUsage().rss > workerData) process.kill(process.pid, "SIGKILL");
}
`;

async function rehearse(script: RehearsedScript): Promise<ScriptRehearsal> {
  try {
    return await rehearseScript(script);
  } catch (error) {
    return { agentCount: 0, problem: messageOf(error) };
  }
}

const script = readOwnRequest(REHEARSE_PROGRAM, isRehearsedScript);
// Without a second thread, only such scripts are not ended.
new Worker(WATCH_MEMORY, { eval: true, workerData: MAX_REHEARSAL_BYTES }).on("error", () => undefined).unref();
writeSync(FIRST_EXTRA_PIPE, `${JSON.stringify(await rehearse(script))}\n`);
process.exit(0);
