import { afterEach, beforeEach, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";

const SCRIPT = `export const meta = { name: "judge", description: "Judges" };
await agent("Read the first file\\nand the second one");
phase("Judge");
await agent("Judge it", { label: "A" });
return "judged";
`;

let environment: TestEnvironment;
let run = "";

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeProject({ ".claude/workflows/judge.js": SCRIPT });
  await environment.trustProject();
  run = runIdIn((await environment.atomic("run", "judge", "--agent", "scripted")).stdout);
});
afterEach(() => environment.remove());

/** A table without its times. */
const rowsOf = (text: string): readonly string[] =>
  environment
    .normalise(text)
    .split("\n")
    .map((row) => row.trimEnd().replace(/ {2,}/g, "  ").replace(/^\d+ /, "#"));

test("runs show has the titles of a script's calls", async () => {
  const { exitCode, stdout, stderr } = await environment.atomic("runs", "show", run);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const calls = rowsOf(stdout).filter((row) => /^NODE|^script\[/.test(row));
  expect(calls.map((row) => row.split("  ").slice(0, 3))).toEqual([
    ["NODE", "TITLE", "STATUS"],
    ["script[1]/agent", "Read the first file and the second one", "completed"],
    ["script[2]/a", "Judge: A", "completed"],
  ]);
  const { nodes } = JSON.parse((await environment.atomic("runs", "show", run, "--json")).stdout);
  expect(nodes.map(({ taskId, title }: Record<string, string>) => [taskId, title])).toEqual([
    ["script", undefined],
    ["script[1]/agent", "Read the first file and the second one"],
    ["script[2]/a", "Judge: A"],
  ]);
});

test("runs history has the titles of a script's calls", async () => {
  const { stdout } = await environment.atomic("runs", "history", run);
  expect(rowsOf(stdout.trimEnd())).toEqual([
    "MOMENT  TIME (UTC)  STEP  TITLE  WHAT",
    "# <time>  the run starts",
    "# <time>  script[1]/agent  Read the first file and the second one  done",
    "# <time>  script[2]/a  Judge: A  done",
    "# <time>  script  done",
  ]);
  const { moments } = JSON.parse((await environment.atomic("runs", "history", run, "--json")).stdout);
  expect(moments.map(({ title }: { readonly title?: string }) => title)).toEqual([
    undefined,
    "Read the first file and the second one",
    "Judge: A",
    undefined,
  ]);
});
