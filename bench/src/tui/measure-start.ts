import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PtyScreen } from "../../../src/tui/fixtures/pty-screen.ts";
import { alignColumns } from "../align-columns.ts";

// Prints how long the chat takes from the start of its process to its first input line, in a terminal. Usage:
// bun bench/src/tui/measure-start.ts [repetitions]

const ATOMIC = new URL("../../../bin/atomic", import.meta.url).pathname;

const repetitionCount = Number(process.argv[2] ?? 7);

/** A chat, and what its screen has once a person can type. */
interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The user's own. @default no file */
  readonly settings?: Readonly<Record<string, string>>;
  readonly ready: RegExp;
}

const PROGRAMS: readonly Program[] = [
  { name: "atomic", command: [ATOMIC], settings: { agent: "scripted" }, ready: /Ask anything/ },
  { name: "atomic --agent scripted", command: [ATOMIC, "--agent", "scripted"], ready: /Ask anything/ },
  {
    name: "atomic --agent scripted --inline",
    command: [ATOMIC, "--agent", "scripted", "--inline"],
    ready: /Ask anything/,
  },
];

interface Start {
  readonly wallMs: number;
  /** Of all threads. Depends less on what else the machine does. 0 where there is no `/proc`. */
  readonly cpuMs: number;
}

/** The processor time of a process so far. Linux counts it in hundredths of a second. */
function cpuMsOf(pid: number): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
    return (Number(user) + Number(system)) * 10;
  } catch {
    return 0;
  }
}

async function measureOnce({ command, ready }: Program, home: string): Promise<Start> {
  const startedAt = performance.now();
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), ATOMIC_HOME: join(home, "atomic") };
  const screen = new PtyScreen(command, { workingDirectory: home, env, background: "rgb:1111/1111/2222" });
  try {
    await screen.until(ready, { timeoutMs: 60_000 });
    return { wallMs: performance.now() - startedAt, cpuMs: cpuMsOf(screen.pid) };
  } finally {
    screen.close();
  }
}

const home = await mkdtemp(join(tmpdir(), "atomic-start-"));
try {
  const lines: (readonly string[])[] = [["from start to first input line", "fastest ms", "median ms", "CPU ms"]];
  for (const program of PROGRAMS) {
    // Bun keeps compiled files where Atomic has a folder, as it has after the first start.
    await mkdir(join(home, "atomic"), { recursive: true });
    await rm(join(home, "atomic", "config.json"), { force: true });
    const { settings } = program;
    if (settings !== undefined) await writeFile(join(home, "atomic", "config.json"), JSON.stringify(settings));
    await measureOnce(program, home);
    const starts: Start[] = [];
    for (let count = 0; count < repetitionCount; count++) starts.push(await measureOnce(program, home));
    const times = starts.map(({ wallMs }) => wallMs).toSorted((one, other) => one - other);
    const cpuTimes = starts.map(({ cpuMs }) => cpuMs).toSorted((one, other) => one - other);
    const middle = Math.floor(starts.length / 2);
    const figures = [times[0], times[middle], cpuTimes[middle]];
    lines.push([program.name, ...figures.map((time = 0) => time.toFixed(0))]);
  }
  console.log(alignColumns(lines, 1));
} finally {
  await rm(home, { recursive: true, force: true });
}
process.exit(0);
