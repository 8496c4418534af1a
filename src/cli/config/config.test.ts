import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, ConfigInvalidError, loadConfigLayers, mergeConfigs, modelFor, parseConfig } from "./config.ts";

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-config-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(folder: "user" | "project", config: unknown): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
}

async function load(): Promise<Config> {
  const trustedProjectFolder = join(root, "project");
  return mergeConfigs(await loadConfigLayers({ atomicHome: join(root, "user"), trustedProjectFolder }));
}

async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await parseConfig(text, "/config.json");
  } catch (error) {
    if (error instanceof ConfigInvalidError) return error.problems;
    throw error;
  }
  throw new Error("The settings were accepted");
}

test("missing files are empty settings", async () => {
  expect<unknown>(await load()).toEqual({});
});

test("settings that are no regular file, or too large, are an error that names the path, without waiting", async () => {
  const path = join(root, "user/config.json");
  const problemOf = async (): Promise<unknown> => {
    const error = await load().catch((caught: unknown) => caught);
    await rm(path, { recursive: true });
    return error instanceof ConfigInvalidError ? [error.path, error.problems] : error;
  };
  await mkdir(join(root, "user"));
  execFileSync("mkfifo", [path]);
  expect(await problemOf()).toEqual([path, ["It is not a regular file."]]);
  await mkdir(path);
  expect(await problemOf()).toEqual([path, ["It is not a regular file."]]);
  await symlink("/dev/zero", path);
  expect(await problemOf()).toEqual([path, ["It is not a regular file."]]);
  await writeFile(path, " ".repeat(1_048_577));
  expect(await problemOf()).toEqual([path, ["It is larger than 1048576 bytes."]]);
  await writeFile(path, "[".repeat(1_048_576));
  expect(await problemOf()).toEqual([path, ["line 1, column 101: Objects and lists are nested more than 100 deep."]]);
});

test("comments and trailing commas are allowed", async () => {
  expect(await parseConfig('{ // mine\n "agent": "opencode", /* x */ }', "/c")).toEqual({ agent: "opencode" });
});

test("every setting is read", async () => {
  const config = {
    agent: "opencode",
    model: "a/b",
    models: { fallback: ["a/c"] },
    permissions: { rules: [{ effect: "allow", tools: ["edit"], paths: ["src/**"] }], otherwise: "deny" },
    limits: { maxAgentsOnMachine: 2 },
    agents: {
      opencode: {
        binaryPath: "/opt/opencode",
        homeDirectory: "/home/agent",
        endpoint: { protocol: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", models: [{ id: "m", outputTokens: 5 }] },
        config: { theme: "x" },
      },
      claude: { userSettings: false, environment: ["AWS_*"], stallTimeoutMs: 60_000 },
      copilot: { model: "gpt-5" },
      "my-agent": { command: "my-agent", args: ["--acp"], mode: "ask" },
    },
  };
  expect<unknown>(await parseConfig(JSON.stringify(config), "/c")).toEqual(config);
});

test("all mistakes are listed at once", async () => {
  const text = JSON.stringify({
    agnet: "opencode",
    model: "",
    permissions: { rules: [{ effect: "maybe" }, { effect: "allow", tools: ["reed"] }] },
    agents: {
      opencode: { endpoint: { protocol: "smoke", baseUrl: "nowhere", models: [] } },
      "my-agent": { binaryPath: "/x" },
    },
  });
  expect(await problemsOf(text)).toEqual([
    'model: "" is not possible. Write a text that is not empty.',
    'permissions.rules[0].effect: "maybe" is not possible. Possible: "allow", "deny", "ask".',
    'permissions.rules[1].tools[0]: "reed" is not possible. Did you mean "read"? Possible: "read", "edit", "shell", "fetch", "mcp", "agent", "other".',
    'agents.opencode.endpoint.protocol: "smoke" is not possible. Possible: "openai-chat", "openai-responses", "anthropic-messages".',
    'agents.opencode.endpoint.baseUrl: the value is not possible. Write an address, such as "https://example.com".',
    "agents.opencode.endpoint.models: [] is not possible. Write a list that is not empty.",
    'agents.my-agent.binaryPath: unknown key, with the value "/x". Possible keys: homeDirectory, userSettings, endpoint, model, environment, stallTimeoutMs, preset, command, args, authMethod, mode, loginCommand, ungated.',
    'agnet: unknown key, with the value "opencode". Did you mean "agent"? Possible keys: agent, model, models, permissions, limits, sandbox, agents, hooks, notifications, ui.',
  ]);
});

test("a syntax error has its line and column", async () => {
  expect(await problemsOf('{\n  "agent": "scripted",\n  "model" x\n}\n')).toEqual([
    'line 3, column 11: Unexpected "x". Keys and strings need double quotes.',
  ]);
});

test("the file that sets the default agent is known; the project's overrides the user's", async () => {
  await write("user", { agent: "claude" });
  await write("project", { model: "m" });
  expect((await load()).agentPath).toBe(join(root, "user", "config.json"));
  await write("project", { agent: "opencode" });
  expect(await load()).toEqual({ agent: "opencode", agentPath: join(root, "project", "config.json") });
});

test.each(["{", "[]", "null", '"x"', ""])("%s is an error that names the file", async (text) => {
  await expect(parseConfig(text, "/home/.atomic/config.json")).rejects.toThrow(
    "The settings in /home/.atomic/config.json cannot be used:\n  - ",
  );
});

test("a settings file that is a folder is an error, not an empty file", async () => {
  await mkdir(join(root, "user", "config.json"), { recursive: true });
  await expect(load()).rejects.toThrow(`The settings in ${join(root, "user", "config.json")} cannot be used:`);
});

test("the project overrides the user: rules of both apply, and settings of an agent merge by key", async () => {
  await write("user", {
    agent: "opencode",
    model: "user/model",
    permissions: { rules: [{ effect: "deny", paths: [".env"] }], otherwise: "ask", protectedPaths: ["deploy/**"] },
    agents: { opencode: { binaryPath: "/opt/opencode", config: { a: 1 } }, mine: { command: "a", mode: "ask" } },
  });
  await write("project", {
    model: "project/model",
    permissions: { rules: [{ effect: "allow", tools: ["edit"] }], protectedPaths: ["*.lock"] },
    agents: { opencode: { config: { b: 2 } }, mine: { command: "b" } },
  });
  expect<unknown>(await load()).toEqual({
    agent: "opencode",
    agentPath: join(root, "user", "config.json"),
    model: "project/model",
    permissions: {
      rules: [
        { effect: "deny", paths: [".env"] },
        { effect: "allow", tools: ["edit"] },
      ],
      otherwise: "ask",
      protectedPaths: ["deploy/**", "*.lock"],
    },
    agents: {
      opencode: { binaryPath: "/opt/opencode", config: { b: 2 } },
      mine: { command: "b", mode: "ask" },
    },
  });
});

test.each<{ title: string; user: object; project: object; problem: string }>([
  {
    title: "have an agent run ungated",
    user: {},
    project: { agents: { gemini: { ungated: true } } },
    problem: "agents.gemini.ungated: only your own settings may set this",
  },
  {
    title: "replace a program that the user lets run ungated",
    user: { agents: { mine: { command: "a", ungated: true } } },
    project: { agents: { mine: { command: "./evil" } } },
    problem: "agents.mine.command: your own settings let this agent run ungated, so only they may set this",
  },
])("a trusted project cannot $title", async ({ user, project, problem }) => {
  await write("user", user);
  await write("project", project);
  const path = join(root, "project", "config.json");
  await expect(load()).rejects.toThrow(
    `The settings in ${path} cannot be used:\n  - line 1: ${problem}\nCorrect the file.`,
  );
});

test("the user's own settings let an agent run ungated, also in a project with settings", async () => {
  await write("user", { agents: { mine: { command: "a", ungated: true } } });
  await write("project", { agents: { mine: { mode: "ask" } } });
  expect<unknown>(await load()).toEqual({ agents: { mine: { command: "a", ungated: true, mode: "ask" } } });
});

test("settings that only the user has apply in the project, too", async () => {
  await write("user", {
    permissions: { rules: [], otherwise: "deny" },
    agents: { opencode: { binaryPath: "/opt/opencode" } },
  });
  await write("project", { model: "m" });
  expect<unknown>(await load()).toEqual({
    model: "m",
    permissions: { rules: [], otherwise: "deny" },
    agents: { opencode: { binaryPath: "/opt/opencode" } },
  });
});

test("settings of an untrusted project are not read", async () => {
  await write("user", { agent: "opencode" });
  await write("project", "{ broken");
  const folders = { atomicHome: join(root, "user"), trustedProjectFolder: undefined };
  const agentPath = join(root, "user", "config.json");
  expect(await loadConfigLayers(folders)).toMatchObject({ user: { agent: "opencode", agentPath }, project: {} });
});

test.each([
  { user: "ask", project: "allow", expected: "ask" },
  { user: "deny", project: "ask", expected: "deny" },
  { user: "allow", project: "ask", expected: "ask" },
  { user: undefined, project: "allow", expected: "allow" },
  { user: "deny", project: undefined, expected: "deny" },
  { user: undefined, project: undefined, expected: undefined },
])(
  "the stricter of two effects applies to unmatched calls: $user and $project",
  async ({ user, project, expected }) => {
    await write("user", { permissions: { otherwise: user } });
    await write("project", { permissions: { otherwise: project } });
    expect((await load()).permissions).toEqual({
      rules: [],
      ...(expected === undefined ? {} : { otherwise: expected }),
    });
  },
);

test("an agent's own model overrides the one for all", () => {
  const config = { model: "any", agents: { claude: { model: "opus" }, copilot: {} } };
  expect(["claude", "copilot", "opencode"].map((agent) => modelFor(config, agent))).toEqual(["opus", "any", "any"]);
});

test.each([
  { user: true, project: { network: ["a.test"] }, expected: true },
  { user: { writeRoots: [] }, project: false, expected: { writeRoots: [] } },
  { user: undefined, project: true, expected: true },
  { user: false, project: true, expected: true },
])("a project cannot disable the user's sandbox", async ({ user, project, expected }) => {
  await write("user", user === undefined ? {} : { sandbox: user });
  await write("project", { sandbox: project });
  expect<unknown>((await load()).sandbox).toEqual(expected);
});

test.each<{ readonly sandbox: unknown; readonly problem: string }>([
  {
    sandbox: "yes",
    problem: 'sandbox: it is "yes". Write true, false, or an object with readRoots, writeRoots, denyRead or network.',
  },
  {
    sandbox: null,
    problem: "sandbox: it is null. Write true, false, or an object with readRoots, writeRoots, denyRead or network.",
  },
  {
    sandbox: { writeRoot: [] },
    problem: 'sandbox.writeRoot: there is none of this name. Did you mean "writeRoots"?',
  },
  {
    sandbox: { readRoots: "~/.cargo" },
    problem: 'sandbox.readRoots: it is "~/.cargo". Write a list of texts, such as ["~/.cargo"].',
  },
  { sandbox: { denyRead: ["/a", 5] }, problem: "sandbox.denyRead[1]: it is 5. Write a text." },
  {
    sandbox: { network: ["localhost"] },
    problem: 'sandbox.network[0]: "localhost" needs a port: of this machine only single services can be reached.',
  },
])("an impossible sandbox setting is reported with the possible ones: $problem", async ({ sandbox, problem }) => {
  await write("user", { sandbox });
  await expect(load()).rejects.toMatchObject({ problems: [problem] });
  await expect(load()).rejects.toThrow(`config.json cannot be used:\n  - line 1: ${problem}\nCorrect the file.`);
});

test.each([
  { rule: { effect: "deny", tools: ["edit"], paths: [] }, says: '"paths" is empty' },
  { rule: { effect: "deny", tools: [] }, says: '"tools" is empty' },
  {
    rule: { effect: "deny", tools: ["shell"], paths: [".env"] },
    says: '"paths" are those of the kinds "read" and "edit"',
  },
  { rule: { effect: "deny", tools: ["edit"], commands: ["rm *"] }, says: '"commands" are those of the kind "shell"' },
  {
    rule: { effect: "deny", paths: ["src/**"], commands: ["rm *"] },
    says: '"paths" and "commands" together never match',
  },
])("a rule that can never match is rejected: $says", async ({ rule, says }) => {
  await write("user", { permissions: { rules: [rule] } });
  await expect(load()).rejects.toThrow(says);
});

test("a sandbox that only the project sets is marked as the project's", async () => {
  await write("project", { sandbox: { network: ["*.example.com"] } });
  expect(await load()).toEqual({ sandbox: { network: ["*.example.com"] }, isSandboxOfProject: true });
  await write("user", { sandbox: {} });
  expect(await load()).toEqual({ sandbox: {} });
});

test("only the user's own settings decide who is notified", async () => {
  const notifications = { terminal: "off", webhooks: [{ url: "https://example.com/hook", secretVariable: "HOOK" }] };
  await write("user", { notifications });
  expect((await load()).notifications as unknown).toEqual(notifications);
  await write("project", { notifications });
  const error = await load().catch((caught: unknown) => caught);
  expect(error instanceof ConfigInvalidError ? [error.path, error.problems] : error).toEqual([
    join(root, "project/config.json"),
    [
      "notifications.terminal: it decides what Atomic sends to whom, so only your own settings may set this",
      "notifications.webhooks: it decides what Atomic sends to whom, so only your own settings may set this",
    ],
  ]);
});

test("only the user's own settings limit the agents on the machine", async () => {
  await write("user", { limits: { maxAgentsOnMachine: 2 } });
  await write("project", { limits: {} });
  expect((await load()).limits).toEqual({ maxAgentsOnMachine: 2 });
  await write("project", { limits: { maxAgentsOnMachine: 9 } });
  const error = await load().catch((caught: unknown) => caught);
  expect(error instanceof ConfigInvalidError ? [error.path, error.problems] : error).toEqual([
    join(root, "project/config.json"),
    ["limits.maxAgentsOnMachine: it applies to all projects, so only your own settings may set this"],
  ]);
  expect(await problemsOf('{ "limits": { "maxAgentsOnMachine": 0 } }')).toEqual([
    "limits.maxAgentsOnMachine: 0 is not possible. Write a number above 0.",
  ]);
});

test.each([
  {
    title: "the user's alone",
    user: { maxConcurrency: 9, maxAgents: 5_000 },
    project: undefined,
    expected: { maxConcurrency: 9, maxAgents: 5_000 },
  },
  {
    title: "the project lowers the user's",
    user: { maxAgents: 50 },
    project: { maxAgents: 20 },
    expected: { maxAgents: 20 },
  },
  {
    title: "the project cannot raise the user's",
    user: { maxAgents: 50 },
    project: { maxAgents: 90 },
    expected: { maxAgents: 50 },
  },
  { title: "nor the default ones", user: undefined, project: { maxAgents: 5_000 }, expected: { maxAgents: 1_000 } },
])("the limits of scripts: $title", async ({ user, project, expected }) => {
  await write("user", { limits: { maxAgentsOnMachine: 3, ...(user && { scripts: user }) } });
  await write("project", { limits: { ...(project && { scripts: project }) } });
  expect((await load()).limits).toEqual({ maxAgentsOnMachine: 3, scripts: expected });
});

test("the limits of scripts are whole numbers, and 16 agents at work the highest", async () => {
  expect(
    await problemsOf('{ "limits": { "scripts": { "maxConcurrency": 17, "maxAgents": 0, "maxAgent": 1 } } }'),
  ).toEqual([
    "limits.scripts.maxConcurrency: 17 is not possible. Write a number of at most 16.",
    "limits.scripts.maxAgents: 0 is not possible. Write a number above 0.",
    'limits.scripts.maxAgent: unknown key, with the value 1. Did you mean "maxAgents"? Possible keys: maxConcurrency, maxAgents.',
  ]);
});

test.each([
  [
    '{"ui": {"mode": "inlin"}}',
    'ui.mode: "inlin" is not possible. Did you mean "inline"? Possible: "full", "inline", "plain".',
  ],
  ['{"ui": {"mouse": {"wheel": "no"}}}', 'ui.mouse.wheel: "no" is not true or false. Write true or false.'],
  ['{"ui": {"keys": {"transcript": 3}}}', "ui.keys.transcript: 3 is not possible. Write one of: string, array."],
])("of %s, the error is %s", async (text, problem) => {
  expect(await problemsOf(text)).toEqual([problem]);
});

test("a project adds to the settings of the chat, but starts no program for its last line", async () => {
  await write("user", {
    ui: { theme: "light", vi: true, mouse: { wheel: false }, keys: { help: "f1" }, statusLine: { command: "date" } },
  });
  await write("project", { ui: { theme: "shop", themes: [{ name: "shop" }], keys: { copy: ["f2"] } } });
  expect<unknown>(await load()).toEqual({
    ui: {
      ...{ theme: "shop", vi: true, mouse: { wheel: false }, keys: { help: "f1", copy: ["f2"] } },
      ...{ statusLine: { command: "date" }, themes: [{ name: "shop" }] },
    },
  });
  await write("project", { ui: { statusLine: { command: "date" } } });
  const error = await load().catch((caught: unknown) => caught);
  expect(error instanceof ConfigInvalidError && error.problems).toEqual([
    "ui.statusLine: it starts a program, so only your own settings may set this",
  ]);
});
