import { afterEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultScriptLimits } from "../../graph/index.ts";
import { partOfSeed, readSeed } from "../../testkit/conformance/part-of-seed.ts";

const SCRIPTS = join(import.meta.dir, "fixtures", "scripts");
const PROGRAM = join(import.meta.dir, "fixtures", "run-script.ts");
/** How often the process of each script is killed: twice in CI, where time is short, else as often as `ATOMIC_KILLS` says. */
const KILLS = Number(process.env.ATOMIC_KILLS ?? 2);

/** A script, its input, and how many agents it calls. */
const CASES: readonly { readonly name: string; readonly input?: object; readonly agentCount: number }[] = [
  { name: "fan-out", agentCount: 7 },
  { name: "pipeline", agentCount: 8 },
  { name: "nested", agentCount: 20 },
  { name: "loop-until", agentCount: 8 },
  { name: "schema", agentCount: 8 },
  { name: "worktree", agentCount: 3 },
  { name: "phases", agentCount: 7 },
  { name: "budget", agentCount: 10 },
  { name: "workflows", agentCount: 12 },
  { name: "inputs", input: { files: ["p", "q", "r"] }, agentCount: 5 },
];

interface Ended {
  /** What was printed, without the result. */
  readonly lines: readonly string[];
  /** Undefined for a process that was killed. */
  readonly result: Result | undefined;
}

interface Result {
  readonly status: string;
  readonly error?: string;
  readonly output: unknown;
  readonly peak: number;
}

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function createFolder(hasProject: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "atomic-scripts-"));
  folders.push(folder);
  if (!hasProject) return folder;
  const cwd = join(folder, "project");
  await mkdir(cwd);
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  for (const args of [
    ["init", "-q"],
    [...identity, "commit", "-q", "--allow-empty", "-m", "Begin"],
  ]) {
    await Bun.spawn(["git", ...args], { cwd, env: environmentIn(folder) }).exited;
  }
  return folder;
}

function environmentIn(folder: string): Record<string, string> {
  const identity = { GIT_AUTHOR_NAME: "Test", GIT_AUTHOR_EMAIL: "test@example.com" };
  const committer = { GIT_COMMITTER_NAME: "Test", GIT_COMMITTER_EMAIL: "test@example.com" };
  return { PATH: process.env.PATH ?? "", HOME: folder, ...identity, ...committer };
}

/** @param killAfter kills the process with -9 once it has printed so many lines */
async function run({ name, input = {} }: (typeof CASES)[number], folder: string, killAfter?: number): Promise<Ended> {
  const command = [
    process.execPath,
    "--no-install",
    PROGRAM,
    join(SCRIPTS, `${name}.js`),
    folder,
    JSON.stringify(input),
  ];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit", env: environmentIn(folder) });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (killAfter !== undefined && text.split("\n").length > killAfter) child.kill("SIGKILL");
  }
  await child.exited;
  const lines = text.split("\n").filter((line) => line !== "");
  const isWhole = lines.at(-1)?.startsWith("{") === true;
  return { lines: isWhole ? lines.slice(0, -1) : lines, result: isWhole ? JSON.parse(lines.at(-1) ?? "") : undefined };
}

/** Half of the scripts, the others on the next day; all of them where `ATOMIC_KILLS` asks for more. */
const PART = process.env.ATOMIC_KILLS === undefined ? partOfSeed(CASES, 2, readSeed(process.env)) : CASES;

test.each(PART.map((each) => [each.name, each] as const))(
  `the script %s, killed with -9 ${KILLS} times, ends as it does without that and repeats no agent that has ended`,
  async (name, each) => {
    const undisturbed = await run(each, await createFolder(name === "worktree"));
    expect(undisturbed.result).toMatchObject({ status: "completed" });
    expect(undisturbed.lines.filter((line) => line.startsWith("start "))).toHaveLength(each.agentCount);

    const folder = await createFolder(name === "worktree");
    const lines: string[] = [];
    // Each process gets a little further.
    const step = Math.max(1, Math.floor(undisturbed.lines.length / (KILLS + 2)));
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = await run(each, folder, step);
      expect(killed.result).toBeUndefined();
      lines.push(...killed.lines);
    }
    const { result, lines: last } = await run(each, folder);
    lines.push(...last);
    expect({ ...result, peak: 0 }).toEqual({ ...undisturbed.result, peak: 0, ...usageOf(result) });
    for (const [index, line] of lines.entries()) {
      if (line.startsWith("end ")) expect(lines.slice(index)).not.toContain(line.replace("end ", "start "));
    }
    if (name === "worktree") {
      const files = await readdir(join(folder, "project"));
      expect(files.toSorted()).toEqual([".git", "one.txt", "three.txt", "two.txt"]);
    }
  },
);

/** An agent whose process died may have worked twice, and that is counted. */
function usageOf(result: object | undefined): object {
  return result !== undefined && "usage" in result ? { usage: result.usage } : {};
}

test("a script of 200 agents has as many at work as its limit, and never more", async () => {
  const { result } = await run({ name: "many", agentCount: 200 }, await createFolder(false));
  expect(result).toMatchObject({ status: "completed", output: 200, peak: defaultScriptLimits().maxConcurrency });
});
