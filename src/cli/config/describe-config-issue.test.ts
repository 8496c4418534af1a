import { expect, test } from "bun:test";
import { ConfigInvalidError, parseConfig } from "./config.ts";

async function problemsOf(settings: unknown): Promise<readonly string[]> {
  try {
    await parseConfig(JSON.stringify(settings), "/config.json");
  } catch (error) {
    if (error instanceof ConfigInvalidError) return error.problems;
    throw error;
  }
  throw new Error("The settings were accepted");
}

const RULE_KEYS = "Possible keys: effect, tools, paths, commands.";
const POLICY_KEYS = "Possible keys: rules, otherwise, protectedPaths.";

test.each<{ readonly settings: unknown; readonly problems: readonly string[] }>([
  {
    settings: { permissions: { allow: "edit" } },
    problems: [`permissions.allow: unknown key, with the value "edit". ${POLICY_KEYS}`],
  },
  {
    settings: { permissions: { protectedPath: ["infra"] } },
    problems: [
      `permissions.protectedPath: unknown key, with the value ["infra"]. Did you mean "protectedPaths"? ${POLICY_KEYS}`,
    ],
  },
  {
    settings: { permissions: { otherwise: "maybe" } },
    problems: ['permissions.otherwise: "maybe" is not possible. Possible: "allow", "deny", "ask".'],
  },
  {
    settings: { permissions: { rules: [{ efect: "deny", tools: "edit" }] } },
    problems: [
      'permissions.rules[0].effect: the key is missing. Possible: "allow", "deny", "ask".',
      'permissions.rules[0].tools: "edit" is not an array. Write an array, for example ["edit"].',
      `permissions.rules[0].efect: unknown key, with the value "deny". Did you mean "effect"? ${RULE_KEYS}`,
    ],
  },
  {
    settings: { permissions: { rules: [{ effect: "deny", tools: ["edt"] }] } },
    problems: [
      'permissions.rules[0].tools[0]: "edt" is not possible. Did you mean "edit"? Possible: "read", "edit", "shell", "fetch", "mcp", "agent", "other".',
    ],
  },
  { settings: { permissions: [] }, problems: ["permissions: [] is not an object. Write an object."] },
  { settings: { permissions: null }, problems: ["permissions: null is not an object. Write an object."] },
  {
    settings: { permissions: { protectedPaths: [7] } },
    problems: ["permissions.protectedPaths[0]: 7 is not a string. Write a string."],
  },
  {
    settings: { sandbox: { writeRoot: ["/x"] } },
    problems: ['sandbox.writeRoot: there is none of this name. Did you mean "writeRoots"?'],
  },
  {
    settings: { sandbox: "on" },
    problems: ['sandbox: it is "on". Write true, false, or an object with readRoots, writeRoots, denyRead or network.'],
  },
  {
    settings: { agents: { opencode: { endpoint: { protocol: "openai-chat", baseUrl: "nowhere", models: [] } } } },
    problems: [
      'agents.opencode.endpoint.baseUrl: the value is not possible. Write an address, such as "https://example.com".',
      "agents.opencode.endpoint.models: [] is not possible. Write a list that is not empty.",
    ],
  },
])("each mistake is reported with its key, its value and the possible values (%#)", async ({ settings, problems }) => {
  expect(await problemsOf(settings)).toEqual(problems);
});

test.each<{ readonly settings: unknown; readonly problems: readonly string[] }>([
  {
    settings: { limits: { maxAgentsOnMachine: 0 } },
    problems: ["limits.maxAgentsOnMachine: 0 is not possible. Write a number above 0."],
  },
  {
    settings: { limits: { maxAgentsOnMachine: 2.5 } },
    problems: ["limits.maxAgentsOnMachine: 2.5 is not a whole number. Write a whole number."],
  },
  { settings: { model: "" }, problems: ['model: "" is not possible. Write a text that is not empty.'] },
  { settings: { ui: { vi: "yes" } }, problems: ['ui.vi: "yes" is not true or false. Write true or false.'] },
])("a limit is said in plain words (%#)", async ({ settings, problems }) => {
  expect(await problemsOf(settings)).toEqual(problems);
});

test("secrets are left out of a value that contains them", async () => {
  const agents = { claude: { endpiont: { apiKey: "hunter2", models: [] } } };
  const notifications = { webhook: [{ url: "https://example.com/T0/s3cr3t", secret: "hunter2", events: [] }] };
  const text = (await problemsOf({ agents, notifications })).join("\n");
  expect(text).not.toMatch(/hunter2|s3cr3t/);
  expect(text).toContain('unknown key, with the value {"apiKey":"[redacted:agents.claude.endpiont.apiKey]","models…');
  expect(await problemsOf({ agents: { claude: { endpoint: { apiKey: 5 } } } })).toContain(
    "agents.claude.endpoint.apiKey: the value is not a string. Write a string.",
  );
});

test("a secret is left out of the message, and a long value is cut", async () => {
  expect(await problemsOf({ agents: { claude: { apiKey: "sk-secret" } }, model: ["x".repeat(100)] })).toEqual([
    `model: ["${"x".repeat(58)}… is not a string. Write a string.`,
    "agents.claude.apiKey: unknown key, with the value that it has. Possible keys: homeDirectory, userSettings, endpoint, model, environment, stallTimeoutMs, binaryPath.",
  ]);
});
