import { expect, test } from "bun:test";
import {
  buildOpenCodeConfig,
  buildOpenCodeEnvironment,
  type OpenCodeSettingsOptions,
  type OpenCodeStartDetails,
} from "./opencode-settings.ts";

const DETAILS: OpenCodeStartDetails = {
  password: "secret",
  pluginPath: "/tmp/plugin/atomic.mjs",
  hooks: { url: "http://127.0.0.1:9", token: "token" },
};

/** What lets a model take images. */
const IMAGES = { attachment: true, modalities: { input: ["text", "image"], output: ["text"] } };

/** What every server's environment has, whatever the user has set. */
const ALWAYS = {
  OPENCODE_CLIENT: "atomic",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_SERVER_PASSWORD: "secret",
  OPENCODE_SERVER_USERNAME: "opencode",
  OPENCODE_PERMISSION: "",
  OPENCODE_PURE: "false",
  OPENCODE_EXPERIMENTAL_CODE_MODE: "false",
  OPENCODE_EXPERIMENTAL_BACKGROUND_SUBAGENTS: "false",
  OPENCODE_ENABLE_QUESTION_TOOL: "1",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
};

const PLUGIN_URL = "file:///tmp/plugin/atomic.mjs";

/** Atomic's plugin as the settings name it. */
const PLUGIN = [PLUGIN_URL, { url: "http://127.0.0.1:9", token: "token" }];

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
    plugin: [PLUGIN],
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

test("all is asked for but what changes nothing outside the conversation", () => {
  const permission = buildOpenCodeConfig(BARE, DETAILS).permission as Record<string, string>;
  const allowed = Object.keys(permission).filter((name) => permission[name] !== "ask");
  expect(allowed).toEqual(["lsp", "question", "skill", "todoread", "todowrite"]);
  expect(permission["*"]).toBe("ask");
});

test("no tool that the user allows in general gets past the policy", () => {
  const tools = ["read", "edit", "glob", "grep", "list", "bash", "task", "external_directory", "webfetch", "websearch"];
  const theirs = Object.fromEntries(tools.map((tool) => [tool, "allow"]));
  const content = JSON.stringify({ permission: theirs });
  const options: OpenCodeSettingsOptions = { ...BARE, env: { OPENCODE_CONFIG_CONTENT: content } };
  const { permission } = buildOpenCodeConfig(options, DETAILS) as { permission: Record<string, string> };
  expect(tools.filter((tool) => permission[tool] !== "ask")).toEqual([]);
});

test("settings merge: the environment's below Atomic's, the caller's above, plugins added up", () => {
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
    plugin: ["theirs", PLUGIN],
    instructions: ["BE BRIEF"],
  });
  expect(permission).toMatchObject({ edit: "ask", webfetch: "deny" });
});

test.each(["{", "[]", "1", ""])("settings in the environment that are no object are ignored: %j", (content) => {
  const options = { ...BARE, env: { OPENCODE_CONFIG_CONTENT: content } };
  expect(buildOpenCodeConfig(options, DETAILS)).toEqual(buildOpenCodeConfig(BARE, DETAILS));
});

test("without a home folder the user's own environment stays as it is", () => {
  expect(buildOpenCodeEnvironment(BARE, DETAILS)).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(buildOpenCodeConfig(BARE, DETAILS)),
    ...ALWAYS,
  });
});

test("switches with which tools would get past Atomic are put back, and proxies are left out for Atomic itself", () => {
  const env = {
    OPENCODE_PERMISSION: '"allow"',
    OPENCODE_PURE: "1",
    OPENCODE_EXPERIMENTAL_CODE_MODE: "1",
    NO_PROXY: "example.org",
  };
  const { OPENCODE_CONFIG_CONTENT: _, ...environment } = buildOpenCodeEnvironment({ ...BARE, env }, DETAILS);
  const noProxy = "example.org,127.0.0.1,localhost";
  expect(environment).toEqual({ ...ALWAYS, NO_PROXY: noProxy, no_proxy: noProxy });
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
  const { OPENCODE_CONFIG_CONTENT: _, ...environment } = buildOpenCodeEnvironment(options, details);
  expect(environment).toEqual({
    ...ALWAYS,
    HOME: "/home/me",
    XDG_CONFIG_HOME: "/tmp/plugin/settings",
    OPENCODE_TEST_HOME: "/tmp/plugin/settings",
    OPENCODE_DISABLE_PROJECT_CONFIG: "true",
    OPENCODE_DISABLE_CLAUDE_CODE: "true",
    OPENCODE_DISABLE_EXTERNAL_SKILLS: "true",
  });
  const { theme, plugin } = buildOpenCodeConfig(options, details);
  expect([theme, plugin]).toEqual([
    undefined,
    [[PLUGIN_URL, { url: "http://127.0.0.1:9", token: "token", configHome: expected }]],
  ]);
});

test("a home folder holds everything of OpenCode's", () => {
  const { OPENCODE_CONFIG_CONTENT: _, ...environment } = buildOpenCodeEnvironment(
    { ...BARE, homeDirectory: "/isolated" },
    DETAILS,
  );
  expect(environment).toEqual({
    PATH: "/bin",
    HOME: "/isolated",
    USERPROFILE: "/isolated",
    XDG_CONFIG_HOME: "/isolated/.config",
    XDG_DATA_HOME: "/isolated/.local/share",
    XDG_CACHE_HOME: "/isolated/.cache",
    XDG_STATE_HOME: "/isolated/.local/state",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    ...ALWAYS,
  });
});

test("over ACP nobody is asked what questions and sub-agents ask, so there are none", () => {
  const { hooks: _, ...overAcp } = DETAILS;
  const { permission, plugin } = buildOpenCodeConfig(BARE, overAcp) as { permission: unknown; plugin: unknown };
  expect(permission).toMatchObject({ "*": "ask", bash: "ask", task: "deny", question: "deny" });
  expect(plugin).toEqual([[PLUGIN_URL, {}]]);
  expect(buildOpenCodeEnvironment(BARE, overAcp)).toMatchObject({ ...ALWAYS, OPENCODE_ENABLE_QUESTION_TOOL: "false" });
});
