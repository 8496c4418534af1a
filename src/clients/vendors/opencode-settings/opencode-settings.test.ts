import { expect, test } from "bun:test";
import type { ModelEndpoint } from "../../options/client-options.ts";
import {
  buildOpenCodeConfig,
  buildOpenCodeEnvironment,
  buildOpenCodeSecrets,
  childEnvironment,
  type OpenCodeSettingsOptions,
  type OpenCodeStartDetails,
} from "./opencode-settings.ts";

const DETAILS: OpenCodeStartDetails = {
  password: "secret",
  pluginPath: "/tmp/plugin/atomic.mjs",
  preloadPath: "/tmp/plugin/start/preload.mjs",
  modelsPath: "/tmp/plugin/models.json",
  hooks: { url: "http://127.0.0.1:9", token: "token" },
};

/** Makes a model accept images. */
const IMAGES = { attachment: true, modalities: { input: ["text", "image"], output: ["text"] } };

/** What every server's environment contains, whatever the user has set. */
const ALWAYS = {
  OPENCODE_CLIENT: "atomic",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_SERVER_USERNAME: "opencode",
  OPENCODE_PERMISSION: "",
  OPENCODE_PURE: "false",
  OPENCODE_EXPERIMENTAL_CODE_MODE: "false",
  OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "false",
  OPENCODE_EXPERIMENTAL_NATIVE_LLM: "false",
  OPENCODE_EXPERIMENTAL_EVENT_SYSTEM: "false",
  BUN_INSPECT_PRELOAD: "/tmp/plugin/start/preload.mjs",
  OPENCODE_ENABLE_QUESTION_TOOL: "1",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
};

/** What an untrusted project adds: its settings are left out, and its `git` settings run nothing. */
const UNTRUSTED = {
  OPENCODE_DISABLE_PROJECT_CONFIG: "true",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
  GIT_CONFIG_KEY_1: "core.hooksPath",
  GIT_CONFIG_VALUE_1: "/dev/null",
};

/** What overrides OpenCode's own environment for its child processes. */
const CHILD_ENV = { OPENCODE_SERVER_PASSWORD: "", OPENCODE_CONFIG_CONTENT: "", GIT_CONFIG_COUNT: "" };

const PLUGIN_URL = "file:///tmp/plugin/atomic.mjs";

/** Atomic's plugin in the settings. */
const PLUGIN_OPTIONS = {
  url: "http://127.0.0.1:9",
  token: "token",
  childEnv: CHILD_ENV,
  readsInstructions: true,
  blocksProject: true,
};
const PLUGIN = [PLUGIN_URL, PLUGIN_OPTIONS];

const BARE: OpenCodeSettingsOptions = { workingDirectory: "/work/app", env: { PATH: "/bin", HOME: "/home/me" } };

const ENDPOINT: OpenCodeSettingsOptions = {
  ...BARE,
  endpoint: {
    protocol: "anthropic-messages",
    baseUrl: "http://127.0.0.1:9/v1",
    models: [
      { id: "large", contextWindowTokens: 1_000, outputTokens: 100, costPerMillionInputUsd: 3 },
      { id: "vendor/small" },
    ],
  },
};

test("an endpoint becomes the only provider, with its first model as the default", () => {
  const { permission: _, ...config } = buildOpenCodeConfig(ENDPOINT, DETAILS);
  expect(config).toEqual({
    autoupdate: false,
    share: "disabled",
    plugin: [
      [PLUGIN_URL, { ...PLUGIN_OPTIONS, childEnv: { ...CHILD_ENV, npm_config_offline: "", OPENCODE_MODELS_PATH: "" } }],
    ],
    lsp: false,
    formatter: false,
    enabled_providers: ["atomic"],
    model: "atomic/large",
    small_model: "atomic/large",
    provider: {
      atomic: {
        name: "Atomic",
        npm: "@ai-sdk/anthropic",
        options: { baseURL: "http://127.0.0.1:9/v1", apiKey: "none" },
        models: {
          large: {
            name: "large",
            tool_call: true,
            reasoning: true,
            ...IMAGES,
            limit: { context: 1_000, output: 100 },
            cost: { input: 3, output: 0 },
          },
          "vendor/small": {
            name: "vendor/small",
            tool_call: true,
            reasoning: true,
            ...IMAGES,
            limit: { context: 128_000, output: 16_384 },
            cost: { input: 0, output: 0 },
          },
        },
      },
    },
  });
});

test("everything requires approval except what changes nothing outside the conversation", () => {
  const permission = buildOpenCodeConfig(BARE, DETAILS).permission as Record<string, string>;
  const allowed = Object.keys(permission).filter((name) => permission[name] !== "ask");
  expect(allowed).toEqual(["question", "todoread", "todowrite"]);
  expect(permission["*"]).toBe("ask");
});

test("no tool that the user's settings allow bypasses the policy", () => {
  const tools = ["read", "edit", "glob", "grep", "list", "bash", "task", "external_directory", "webfetch", "websearch"];
  const theirs = Object.fromEntries(tools.map((tool) => [tool, "allow"]));
  const content = JSON.stringify({ permission: theirs });
  const options: OpenCodeSettingsOptions = { ...BARE, env: { OPENCODE_CONFIG_CONTENT: content } };
  const { permission } = buildOpenCodeConfig(options, DETAILS) as { permission: Record<string, string> };
  expect(tools.filter((tool) => permission[tool] !== "ask")).toEqual([]);
});

test("settings merge: Atomic's override the environment's, the caller's override Atomic's, plugins add up", () => {
  const content = JSON.stringify({ share: "auto", theme: "dark", plugin: ["theirs"], permission: { edit: "allow" } });
  const options: OpenCodeSettingsOptions = {
    ...BARE,
    env: { OPENCODE_CONFIG_CONTENT: content },
    config: { permission: { webfetch: "deny" }, instructions: ["BE BRIEF"] },
  };
  const { permission, ...config } = buildOpenCodeConfig(options, DETAILS);
  expect(config).toEqual({
    autoupdate: false,
    share: "disabled",
    theme: "dark",
    lsp: false,
    formatter: false,
    plugin: ["theirs", PLUGIN],
    instructions: ["BE BRIEF"],
  });
  expect(permission).toMatchObject({ edit: "ask", webfetch: "deny" });
});

test.each(["{", "[]", "1", ""])("settings in the environment that are not an object are ignored: %j", (content) => {
  const options = { ...BARE, env: { OPENCODE_CONFIG_CONTENT: content } };
  expect(buildOpenCodeConfig(options, DETAILS)).toEqual(buildOpenCodeConfig(BARE, DETAILS));
});

test("without a home folder the user's own environment stays as it is", () => {
  expect(buildOpenCodeEnvironment(BARE, DETAILS)).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    ...ALWAYS,
    ...UNTRUSTED,
  });
});

test("OpenCode's secrets are not in the environment that it starts with", () => {
  const env = { OPENCODE_SERVER_PASSWORD: "theirs", OPENCODE_CONFIG_CONTENT: '{"theme":"dark"}' };
  const endpoint = { ...(ENDPOINT.endpoint as ModelEndpoint), apiKey: "key-77" };
  const options: OpenCodeSettingsOptions = { ...BARE, env, endpoint };
  const environment = JSON.stringify(buildOpenCodeEnvironment(options, DETAILS));
  expect(["theirs", "dark", "key-77", "token", '"secret"'].filter((text) => environment.includes(text))).toEqual([]);
  const secrets = buildOpenCodeSecrets(options, DETAILS);
  expect([secrets.OPENCODE_SERVER_PASSWORD, secrets.OPENCODE_CONFIG_CONTENT.includes("key-77")]).toEqual([
    "secret",
    true,
  ]);
});

test("a trusted project's settings, language servers and formatters apply as the user has set them", () => {
  const options: OpenCodeSettingsOptions = { ...BARE, projectSettings: true };
  expect(buildOpenCodeEnvironment(options, DETAILS)).toEqual({ PATH: "/bin", HOME: "/home/me", ...ALWAYS });
  const { lsp, formatter, plugin } = buildOpenCodeConfig(options, DETAILS);
  const { GIT_CONFIG_COUNT: _, ...childEnv } = CHILD_ENV;
  expect([lsp, formatter, plugin]).toEqual([
    undefined,
    undefined,
    [[PLUGIN_URL, { ...PLUGIN_OPTIONS, childEnv, readsInstructions: false, blocksProject: false }]],
  ]);
});

test("with an endpoint OpenCode fetches nothing, but its commands may; the user's git settings stay", () => {
  const env = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c", npm_config_offline: "mine" };
  const options = { ...ENDPOINT, env };
  expect(buildOpenCodeEnvironment(options, DETAILS)).toMatchObject({
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    npm_config_offline: "true",
    OPENCODE_MODELS_PATH: "/tmp/plugin/models.json",
    GIT_CONFIG_COUNT: "3",
    GIT_CONFIG_KEY_0: "a.b",
    GIT_CONFIG_KEY_1: "core.fsmonitor",
    GIT_CONFIG_KEY_2: "core.hooksPath",
  });
  expect(childEnvironment(options)).toEqual({
    ...CHILD_ENV,
    npm_config_offline: "mine",
    OPENCODE_MODELS_PATH: "",
    GIT_CONFIG_COUNT: "1",
  });
});

test("switches that would let tools bypass Atomic are reset, and Atomic itself is reached without a proxy", () => {
  const env = {
    OPENCODE_PERMISSION: '"allow"',
    OPENCODE_PURE: "1",
    OPENCODE_EXPERIMENTAL_CODE_MODE: "1",
    NO_PROXY: "example.org",
  };
  const environment = buildOpenCodeEnvironment({ ...BARE, env }, DETAILS);
  const noProxy = "example.org,127.0.0.1,localhost";
  expect(environment).toEqual({ ...ALWAYS, ...UNTRUSTED, NO_PROXY: noProxy, no_proxy: noProxy });
});

test.each([
  { title: "in the home folder", env: { HOME: "/home/me" }, expected: "/home/me/.config" },
  { title: "where the user says", env: { HOME: "/home/me", XDG_CONFIG_HOME: "/settings" }, expected: "/settings" },
])("without the user's settings OpenCode looks elsewhere, the commands it runs $title", ({ env, expected }) => {
  const content = JSON.stringify({ theme: "dark" });
  const options: OpenCodeSettingsOptions = {
    ...BARE,
    env: { ...env, OPENCODE_CONFIG: "/their.json", OPENCODE_CONFIG_CONTENT: content },
    userSettings: false,
  };
  const details = { ...DETAILS, configHome: "/tmp/plugin/settings" };
  expect(buildOpenCodeEnvironment(options, details)).toEqual({
    ...ALWAYS,
    ...UNTRUSTED,
    HOME: "/home/me",
    XDG_CONFIG_HOME: "/tmp/plugin/settings",
    OPENCODE_TEST_HOME: "/tmp/plugin/settings",
    OPENCODE_DISABLE_CLAUDE_CODE: "true",
    OPENCODE_DISABLE_EXTERNAL_SKILLS: "true",
  });
  const { theme, plugin } = buildOpenCodeConfig(options, details);
  expect([theme, plugin]).toEqual([
    undefined,
    [
      [
        PLUGIN_URL,
        { ...PLUGIN_OPTIONS, childEnv: { ...CHILD_ENV, XDG_CONFIG_HOME: expected }, readsInstructions: false },
      ],
    ],
  ]);
});

test("a home folder contains all of OpenCode's files", () => {
  expect(buildOpenCodeEnvironment({ ...BARE, homeDirectory: "/isolated" }, DETAILS)).toEqual({
    PATH: "/bin",
    HOME: "/isolated",
    USERPROFILE: "/isolated",
    XDG_CONFIG_HOME: "/isolated/.config",
    XDG_DATA_HOME: "/isolated/.local/share",
    XDG_CACHE_HOME: "/isolated/.cache",
    XDG_STATE_HOME: "/isolated/.local/state",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    ...UNTRUSTED,
    ...ALWAYS,
  });
});

test("over ACP there are no question tools and no sub-agents, whose requests nobody would see", () => {
  const overAcp = { ...DETAILS, isOverAcp: true };
  const { permission, plugin } = buildOpenCodeConfig(BARE, overAcp) as { permission: unknown; plugin: unknown };
  expect(permission).toMatchObject({ "*": "ask", bash: "ask", task: "deny", question: "deny" });
  expect(plugin).toEqual([PLUGIN]);
  expect(buildOpenCodeEnvironment(BARE, overAcp)).toMatchObject({ ...ALWAYS, OPENCODE_ENABLE_QUESTION_TOOL: "false" });
});
