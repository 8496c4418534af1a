import { afterEach, beforeEach, expect, test } from "bun:test";
import type { DiscoveryProblem } from "../../contracts/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { ProblemPrinter } from "./problem-printer.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.trustProject();
});
afterEach(() => environment.remove());

function problem(index: number, severity: DiscoveryProblem["severity"]): DiscoveryProblem {
  return { path: `/p/${index}.ts`, message: "Wrong.", remedy: "Correct it.", severity };
}

test("of many problems twenty are shown in all, the errors first", () => {
  const stderr = new TextStream({ isTTY: false, columns: 80 });
  const printer = new ProblemPrinter({ stderr }, "atomic workflows verify --json");
  printer.print([problem(1, "warning"), problem(2, "error")]);
  printer.end();
  expect(stderr.text).toBe("warning: /p/1.ts: Wrong. Correct it.\nerror: /p/2.ts: Wrong. Correct it.\n");
  printer.print([...Array.from({ length: 29 }, (_, index) => problem(index, "warning")), problem(99, "error")]);
  printer.end();
  const lines = stderr.text.trimEnd().split("\n");
  expect([lines.length, lines[2], lines.at(-1)]).toEqual([
    21,
    "error: /p/99.ts: Wrong. Correct it.",
    "and 12 more: atomic workflows verify --json",
  ]);
});

test("a problem with a very long text is one line that is cut", () => {
  const stderr = new TextStream({ isTTY: false, columns: 80 });
  const printer = new ProblemPrinter({ stderr }, "atomic doctor");
  printer.print([{ ...problem(1, "error"), message: `first\n${"long ".repeat(20_000)}` }]);
  expect(stderr.text.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr.text.length).toBeLessThan(2_100);
});

test("lists stay readable with very long names, many scripts and many problems; --json has all", async () => {
  const name = "a".repeat(150);
  const files: Record<string, string> = { ".claude/agents/long.md": `---\nname: ${name}\n---\nLook.` };
  for (let index = 0; index < 60; index++) {
    files[`.claude/workflows/s${index}.js`] = `export const meta = { name: "s${index}" };`;
    files[`.atomic/workflows/broken${index}.tsx`] = "";
  }
  await environment.writeProject(files);
  const agents = await environment.atomic("agents", "list");
  expect(Math.max(...agents.stdout.split("\n").map((line) => line.length))).toBeLessThan(200);
  expect((await environment.atomic("agents", "list", "--json")).stdout).toContain(name);
  const { stdout, stderr } = await environment.atomic("workflows", "list");
  expect(stdout.match(/^s\d+ /gm)).toHaveLength(50);
  expect(stdout).toEndWith("\nand 10 more workflow scripts: atomic workflows list --json\n");
  expect(stderr.match(/^error: /gm)).toHaveLength(20);
  expect(stderr).toEndWith("\nand 40 more: atomic workflows list --json\n");
  const doctor = await environment.atomic("doctor");
  expect(doctor.stdout.match(/^workflow +broken/gm)).toHaveLength(21);
  expect(doctor.stdout).toContain("and 40 more: atomic doctor --json");
}, 30_000);
