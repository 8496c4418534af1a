import { afterAll, beforeAll, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
});

afterAll(async () => {
  await sandbox.remove();
});

test("doctor, called through a link in a project elsewhere, finds every agent that is installed next to Atomic", async () => {
  const { stdout } = await sandbox.atomic("doctor", "--json");
  const checks: readonly { readonly name: string; readonly status: string }[] = JSON.parse(stdout).checks;
  const agents = checks.filter(({ name }) => ["claude", "opencode", "copilot"].includes(name));
  expect(agents.map(({ name, status }) => `${name}: ${status}`)).toEqual(["claude: ok", "opencode: ok", "copilot: ok"]);
}, 120_000);
