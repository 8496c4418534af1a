import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PtyScreen } from "../../../src/tui/fixtures/pty-screen.ts";
import { alignColumns } from "../align-columns.ts";

// Prints how much memory the chat has at the end of one long answer, in each mode, and how long the answer takes. Usage:
// bun bench/src/tui/measure-long-answer.ts [lines] [text of a line] [lines per second]

const PROGRAM = new URL("long-answer-chat.ts", import.meta.url).pathname;
const [lineCount = "5000", line = "A line of the **answer** with `code`", perSecond = "128"] = process.argv.slice(2);
const PATIENT = { timeoutMs: 600_000 };

/** The resident memory of a process, in megabytes. NaN where there is no `/proc`. */
function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
  } catch {
    return Number.NaN;
  }
}

async function measure(
  mode: string,
  home: string,
): Promise<{ readonly startMb: number; readonly endMb: number; readonly ms: number }> {
  const command = [process.execPath, PROGRAM, mode, lineCount, line, perSecond] as const;
  const screen = new PtyScreen([...command], { columns: 120, rows: 40, workingDirectory: home, env: { HOME: home } });
  try {
    await screen.until(mode === "plain" ? /\S/ : /Ask anything/, PATIENT);
    const startMb = memoryOf(screen.pid);
    const startedAt = performance.now();
    screen.type("Write.");
    screen.press("enter");
    await screen.until(/The end of the answer\./, PATIENT);
    return { startMb, endMb: memoryOf(screen.pid), ms: performance.now() - startedAt };
  } finally {
    screen.close();
  }
}

const home = await mkdtemp(join(tmpdir(), "atomic-long-answer-"));
try {
  const lines: (readonly string[])[] = [["mode", "MB before", "MB after", "of plain", "seconds"]];
  const plain = await measure("plain", home);
  for (const [mode, measured] of [
    ["plain", plain],
    ["inline", await measure("inline", home)],
    ["full", await measure("full", home)],
  ] as const) {
    const { startMb, endMb, ms } = measured;
    lines.push([
      mode,
      ...[startMb, endMb].map((mb) => mb.toFixed(0)),
      (endMb / plain.endMb).toFixed(1),
      (ms / 1_000).toFixed(1),
    ]);
  }
  console.log(alignColumns(lines, 1));
} finally {
  await rm(home, { recursive: true, force: true });
}
process.exit(0);
