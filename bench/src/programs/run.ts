import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findVendorProgram } from "../../../src/cli/agents/find-vendor-program.ts";
import { PtyScreen } from "../../../src/tui/fixtures/pty-screen.ts";
import { alignColumns } from "../align-columns.ts";

const ATOMIC = new URL("../../../bin/atomic", import.meta.url).pathname;
const GIT_COMPLETION = "/usr/share/bash-completion/completions/git";

/** A shell asks while a person types. In milliseconds. */
const COMPLETION_GOAL_MS = 150;

const repetitionCount = Number(process.argv[2] ?? 7);

/** A program that is measured as a whole process, from its start to its end or to its first frame. */
interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What the screen has at the first frame. @default it runs to its end */
  readonly ready?: RegExp;
}

const OWN: readonly Program[] = [
  { name: "atomic --version", command: [ATOMIC, "--version"] },
  { name: "atomic --help", command: [ATOMIC, "--help"] },
  { name: "atomic, completion of run", command: [ATOMIC, "__complete", "--", "run", ""] },
  { name: "atomic, completion of --agent", command: [ATOMIC, "__complete", "--", "run", "--agent", ""] },
  { name: "atomic, first frame of the chat", command: [ATOMIC], ready: /Ask anything/ },
];

/** The peers that are installed here. Copilot's package has a server, and no program with `--version`. */
async function findPeers(): Promise<readonly Program[]> {
  const git = `source ${GIT_COMPLETION}; COMP_WORDS=(git ch); COMP_CWORD=1; COMP_LINE="git ch"; COMP_POINT=6; __git_wrap__git_main`;
  const vendors = (["opencode", "claude"] as const).map(async (name): Promise<readonly Program[]> => {
    const program = await findVendorProgram(name, { atomicHome: "/nowhere", env: process.env }).catch(() => undefined);
    return program === undefined ? [] : [{ name: `${name} --version`, command: [program, "--version"] }];
  });
  const copilot = Bun.which("copilot");
  return [
    ...(await Promise.all(vendors)).flat(),
    ...(copilot === null ? [] : [{ name: "copilot --version", command: [copilot, "--version"] } as const]),
    ...(existsSync(GIT_COMPLETION) ? [{ name: "git, completion in bash", command: ["bash", "-c", git] } as const] : []),
    { name: "node --version", command: ["node", "--version"] },
    { name: "bun --version", command: [process.execPath, "--version"] },
  ];
}

async function measureOnce({ command, ready }: Program, home: string): Promise<number> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, ATOMIC_HOME: join(home, "atomic") };
  const startedAt = performance.now();
  if (ready === undefined) {
    const child = Bun.spawn([...command], { cwd: home, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
    const exitCode = await child.exited;
    if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${await child.stderr.text()}`);
    return performance.now() - startedAt;
  }
  const screen = new PtyScreen(command, { workingDirectory: home, env, background: "rgb:1111/1111/2222" });
  try {
    await screen.until(ready, { timeoutMs: 60_000 });
    return performance.now() - startedAt;
  } finally {
    screen.close();
  }
}

/** Prints how long programs take to start, all in turn, so that what else the machine does concerns each of them. */
async function main(): Promise<void> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "atomic-bench-programs-")));
  try {
    await mkdir(join(home, "atomic"));
    await writeFile(join(home, "atomic", "config.json"), '{"agent": "scripted"}');
    const programs = [...OWN, ...(await findPeers())];
    const times = new Map<Program, number[]>(programs.map((program) => [program, []]));
    for (let round = 0; round <= repetitionCount; round++) {
      for (const [program, list] of times) {
        const time = await measureOnce(program, home);
        // The first start of each compiles, and reads the disk.
        if (round > 0) list.push(time);
      }
    }
    const fastest = (list: readonly number[]): number => Math.min(...list);
    const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;
    const [first = []] = times.values();
    const rows = [...times].map(([{ name }, list]) => [
      name,
      fastest(list).toFixed(0),
      median(list).toFixed(0),
      (median(list) / median(first)).toFixed(2),
    ]);
    console.log(alignColumns([["whole process", "fastest ms", "median ms", "ratio to atomic --version"], ...rows], 1));
    const completions = [...times].filter(([{ name }]) => name.startsWith("atomic, completion"));
    const slowest = Math.max(...completions.map(([, list]) => fastest(list)));
    console.log(`\nA completion takes ${slowest.toFixed(0)} ms; the goal is ${COMPLETION_GOAL_MS} ms.`);
    if (!(slowest <= COMPLETION_GOAL_MS)) process.exitCode = 1;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

await main();
