import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alignColumns } from "../align-columns.ts";

const MANY = 100;
const REPETITIONS = 5;
/** So many times longer a run may take beside the other files. */
const GOAL_RATIO = 1.5;

const root = new URL("../../../", import.meta.url).pathname;

/** A file of some size, whose metadata is literals, or needs execution. */
function workflow(index: number, isComputed: boolean): string {
  const name = isComputed ? `["w", ${index}].join("")` : `"w${index}"`;
  return `import { annotation, defineState, graph, toolNode } from "@bastani/atomic/graph";
import { z } from "zod";
export const name = ${name};
export const description = "Workflow ${index}";
export const defaultConfig = { depth: 3, topics: ["a", "b"] };
const State = defineState({ prompt: annotation(""), count: annotation(0) });
const shape = z.object({ count: z.number() });
${"// A line of the kind that files have.\n".repeat(60)}
export default () =>
  graph(State).start(toolNode({ id: "work", execute: () => shape.parse({ count: ${index} }).count })).end().compile();
`;
}

interface Place {
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

async function createPlace(folder: string, count: number, isComputed: boolean): Promise<Place> {
  const project = join(folder, "project");
  const home = join(folder, "home", ".atomic");
  await mkdir(join(project, ".atomic", "workflows"), { recursive: true });
  await mkdir(home, { recursive: true });
  for (let index = 0; index < count; index++)
    await writeFile(join(project, ".atomic", "workflows", `w${index}.ts`), workflow(index, isComputed));
  const projects = [{ path: project, trustedAt: "2026-01-01T00:00:00.000Z" }];
  await writeFile(join(home, "trusted-projects.json"), JSON.stringify({ version: 1, projects }));
  const env = { PATH: process.env.PATH ?? "", HOME: join(folder, "home") };
  const cache = join(root, "node_modules/.cache/atomic");
  return { project, env: { ...env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: cache } };
}

/** How long a call takes, in milliseconds. */
async function timeCall({ project, env }: Place, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn([join(root, "bin/atomic"), ...args], { cwd: project, env, stdout: "ignore", stderr: "pipe" });
  const exitCode = await child.exited;
  const took = performance.now() - startedAt;
  if (exitCode !== 0) throw new Error(`${args.join(" ")} ended with ${exitCode}: ${await child.stderr.text()}`);
  return took;
}

async function fastest(place: Place, args: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < REPETITIONS; count++) times.push(await timeCall(place, args));
  return Math.min(...times);
}

async function measure(folder: string, count: number, isComputed: boolean): Promise<readonly number[]> {
  const place = await createPlace(folder, count, isComputed);
  const first = await timeCall(place, ["run", "w0"]);
  const run = await fastest(place, ["run", "w0"]);
  const listFirst = await timeCall(place, ["workflows", "list"]);
  return [first, run, listFirst, await fastest(place, ["workflows", "list"])];
}

/** Prints how long `atomic run NAME` and `atomic workflows list` take with many workflow files, beside one. */
async function main(): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-bench-loading-")));
  try {
    const one = await measure(join(folder, "one"), 1, false);
    const many = await measure(join(folder, "many"), MANY, false);
    const computed = await measure(join(folder, "computed"), MANY, true);
    const header = ["ms", "run, first", "run", "list, first", "list"];
    const cells = Object.entries({ "1 file": one, [`${MANY} files`]: many, [`${MANY} computed names`]: computed });
    console.log(
      alignColumns([header, ...cells.map(([title, times]) => [title, ...times.map((time) => time.toFixed(0))])], 1),
    );
    const ratio = (many[1] ?? Number.NaN) / (one[1] ?? Number.NaN);
    console.log(
      `\nA run beside ${MANY} files takes ${ratio.toFixed(2)} times as long as alone; the goal is ${GOAL_RATIO}.`,
    );
    if (!(ratio <= GOAL_RATIO)) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
