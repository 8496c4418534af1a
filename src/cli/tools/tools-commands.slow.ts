import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const TOOL = 'import { tool } from "@bastani/atomic/plugin";\n';
const HELLO = `${TOOL}export default tool({ description: "Greets", execute: () => "hello" });\n`;

test.each([
  { args: ["list"], isNoted: true },
  { args: ["show", "hello"], isNoted: true },
  { args: ["run", "hello"], isNoted: true },
  // A program reads no notes, so a person still has to see it.
  { args: ["run", "hello", "--json"], isNoted: false },
])("changed files of a trusted project are named once by: atomic tools $args", async ({ args, isNoted }) => {
  await environment.writeProject({ ".atomic/tools/hello.ts": HELLO });
  expect((await environment.atomic("tools", "list", "--trust")).stderr).toBe(`Trusted ${environment.project}.\n`);
  await environment.writeProject({ ".atomic/tools/hello.ts": `${HELLO}// Changed.\n` });
  const note = "note: 1 file is new or has changed since you trusted this project: .atomic/tools/hello.ts.\n";
  const first = await environment.atomic("tools", ...args);
  const second = await environment.atomic("tools", "list");
  expect([first.stderr, second.stderr]).toEqual(isNoted ? [note, ""] : ["", note]);
});
