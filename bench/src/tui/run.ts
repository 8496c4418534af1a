import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { alignColumns } from "../align-columns.ts";
import { FLUSH_MS, TOKENS_PER_SECOND, type TuiMeasurement } from "./stream-tokens.ts";

const BENCH = new URL("../../", import.meta.url).pathname;
const INK = join(BENCH, "ink");

/** What is measured, with the arguments of its program. */
interface Subject {
  readonly name: string;
  readonly program: string;
  readonly messageCount: number;
  readonly mountedCount?: number;
}

const TOKEN_COUNT = Number(process.argv[2] ?? 2_000);

const ATOMIC: readonly Subject[] = [1_000, 10_000].map((messageCount) => ({
  name: "Atomic",
  program: join(BENCH, "src/tui/measure-conversation.tsx"),
  messageCount,
}));

/** So many agents that write and call tools at once. */
const RUN: Subject = {
  name: "Atomic, 12 agents of a run",
  program: join(BENCH, "src/tui/measure-run.tsx"),
  messageCount: 12,
};

const INK_SUBJECTS: readonly Subject[] = [
  { name: "Ink, last 100 mounted", messageCount: 1_000, mountedCount: 100 },
  { name: "Ink, last 100 mounted", messageCount: 10_000, mountedCount: 100 },
  { name: "Ink, all mounted", messageCount: 1_000, mountedCount: 1_000 },
].map((subject) => ({ ...subject, program: join(INK, "measure-ink.tsx") }));

/** Runs a program and returns what it printed. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  // React's development build is several times slower.
  const env = { ...process.env, NODE_ENV: "production" };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr.slice(-2_000)}`);
  return stdout;
}

async function measure({ program, messageCount, mountedCount }: Subject): Promise<TuiMeasurement> {
  const args = [program, messageCount, TOKEN_COUNT, ...(mountedCount === undefined ? [] : [mountedCount])].map(String);
  const printed = await run(process.execPath, args, BENCH);
  return JSON.parse(printed) as TuiMeasurement; // the programs print one
}

/** Installs Ink unless it is there. Returns whether it is. */
async function installInk(): Promise<boolean> {
  if (existsSync(join(INK, "node_modules/ink"))) return true;
  try {
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], INK);
    return true;
  } catch (error) {
    console.error(`Ink cannot be installed and is left out. ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Prints how the conversation draws while an answer streams, beside the same messages in Ink. */
async function main(): Promise<void> {
  const subjects = (await installInk()) ? [...ATOMIC, RUN, ...INK_SUBJECTS] : [...ATOMIC, RUN];
  const lines: (readonly string[])[] = [
    [
      "",
      "messages",
      "first frame ms",
      "frame p50 ms",
      "p95 ms",
      "CPU ms a frame",
      "CPU %",
      "RSS MB",
      "MB more a minute",
      "frames",
    ],
  ];
  for (const subject of subjects) {
    const { firstFrameMs, frameP50Ms, frameP95Ms, frameCpuMs, cpuPercent, rssMb, growthMbPerMinute, frameCount } =
      await measure(subject);
    const numbers = [
      firstFrameMs.toFixed(0),
      frameP50Ms.toFixed(1),
      frameP95Ms.toFixed(1),
      frameCpuMs.toFixed(1),
      cpuPercent.toFixed(0),
    ];
    lines.push([
      subject.name,
      String(subject.messageCount),
      ...numbers,
      rssMb.toFixed(0),
      growthMbPerMinute.toFixed(1),
      String(frameCount),
    ]);
  }
  const what = `${TOKEN_COUNT} tokens at ${TOKENS_PER_SECOND} a second, shown at most every ${FLUSH_MS} ms, 120 × 40.`;
  console.log(`\n${what} Ink draws plain text, Atomic highlighted Markdown.\n`);
  console.log(alignColumns(lines, 1));
}

await main();
