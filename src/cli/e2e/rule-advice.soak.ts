import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";

const GREET = `
import { agentNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(agentNode({ id: "greet", buildMessage: () => "Greet." })).end().compile();
`;

const ABOUT_COMMANDS =
  'The rule "allow shell: npm test*": "npm test*" also matches commands that continue within the word, such as "npm testx". Write "npm test" and "npm test *" instead.';
const ABOUT_FOLDER = 'The rule "allow edit: src": "src" matches no file below the folder. Write "src/**" instead.';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ "src/main.ts": "" });
  await sandbox.writeConfig({
    permissions: { rules: [{ effect: "allow", tools: ["shell"], commands: ["npm test*"] }] },
  });
});
afterEach(() => sandbox.remove());

/** How often each line of advice is in a text. */
function adviceIn(text: string): readonly number[] {
  return [ABOUT_COMMANDS, ABOUT_FOLDER].map((line) => text.split("\n").filter((one) => one === line).length);
}

test("list and why warn once about a misleading rule, with the rule to write instead", async () => {
  const list = await sandbox.atomic("permissions", "list");
  expect(adviceIn(list.stdout)).toEqual([1, 0]);
  const flags = ["--allow", "shell:npm test*", "--allow", "edit:src"];
  const why = await sandbox.atomic("permissions", "why", "npm test", ...flags);
  expect([why.exitCode, ...adviceIn(why.stdout)]).toEqual([0, 1, 1]);
  const right = await sandbox.atomic(
    "permissions",
    "why",
    "npm test",
    "--allow",
    "edit:src/**",
    "--deny",
    "shell:rm *",
  );
  expect(adviceIn(right.stdout)).toEqual([1, 0]);
});

test("a prompt and a run tell it before the agent starts, once", async () => {
  const flags = ["--agent", "scripted", "--allow", "edit:src"];
  const prompt = await sandbox.atomic("-p", "Hello.", ...flags);
  expect(adviceIn(prompt.stderr)).toEqual([1, 1]);
  const json = await sandbox.atomic("-p", "Hello.", "--json", ...flags);
  const warnings = json.events.filter(({ type }) => String(type) === "warning");
  expect<unknown>(warnings).toEqual([ABOUT_COMMANDS, ABOUT_FOLDER].map((message) => ({ type: "warning", message })));
  await mkdir(join(sandbox.atomicHome, "workflows"));
  await writeFile(join(sandbox.atomicHome, "workflows", "greet.ts"), GREET);
  const run = await sandbox.atomic("run", "greet", ...flags);
  expect([run.exitCode, ...adviceIn(run.stderr)]).toEqual([0, 1, 1]);
}, 30_000);
