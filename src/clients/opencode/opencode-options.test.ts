import { expect, test } from "bun:test";
import {
  buildOpenCodeConfig,
  buildOpenCodeEnvironment,
  type OpenCodeOptions,
  resolveModel,
} from "./opencode-options.ts";

const SECRETS = { password: "secret", pluginPath: "/tmp/plugin/atomic.mjs" };

const BARE: OpenCodeOptions = { workingDirectory: "/work/app", env: { PATH: "/bin", HOME: "/home/me" } };

const ENDPOINT: OpenCodeOptions = {
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
  const { permission: _, ...config } = buildOpenCodeConfig(ENDPOINT, SECRETS);
  expect(config).toEqual({
    autoupdate: false,
    share: "disabled",
    plugin: ["file:///tmp/plugin/atomic.mjs"],
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
            limit: { context: 1_000, output: 100 },
            cost: { input: 3, output: 0 },
          },
          "vendor/small": {
            name: "vendor/small",
            tool_call: true,
            reasoning: true,
            limit: { context: 128_000, output: 16_384 },
            cost: { input: 0, output: 0 },
          },
        },
      },
    },
  });
});

test("all is asked for but what changes nothing outside the conversation", () => {
  const permission = buildOpenCodeConfig(BARE, SECRETS).permission as Record<string, string>;
  const allowed = Object.keys(permission).filter((name) => permission[name] !== "ask");
  expect(allowed).toEqual(["lsp", "question", "skill", "todoread", "todowrite"]);
  expect(permission["*"]).toBe("ask");
});

test("no tool that the user allows in general gets past the policy", () => {
  const tools = ["read", "edit", "glob", "grep", "list", "bash", "task", "external_directory", "webfetch", "websearch"];
  const theirs = Object.fromEntries(tools.map((tool) => [tool, "allow"]));
  const content = JSON.stringify({ permission: theirs });
  const options: OpenCodeOptions = { ...BARE, env: { OPENCODE_CONFIG_CONTENT: content } };
  const { permission } = buildOpenCodeConfig(options, SECRETS) as { permission: Record<string, string> };
  expect(tools.filter((tool) => permission[tool] !== "ask")).toEqual([]);
});

test("settings merge: the environment's below Atomic's, the caller's above, plugins added up", () => {
  const content = JSON.stringify({ share: "auto", theme: "dark", plugin: ["theirs"], permission: { edit: "allow" } });
  const options: OpenCodeOptions = {
    ...BARE,
    env: { OPENCODE_CONFIG_CONTENT: content },
    config: { permission: { webfetch: "deny" }, instructions: ["BE BRIEF"] },
  };
  const { permission, ...config } = buildOpenCodeConfig(options, SECRETS);
  expect(config).toEqual({
    autoupdate: false,
    share: "disabled",
    theme: "dark",
    plugin: ["theirs", "file:///tmp/plugin/atomic.mjs"],
    instructions: ["BE BRIEF"],
  });
  expect(permission).toMatchObject({ edit: "ask", webfetch: "deny" });
});

test.each(["{", "[]", "1", ""])("settings in the environment that are no object are ignored: %j", (content) => {
  const options = { ...BARE, env: { OPENCODE_CONFIG_CONTENT: content } };
  expect(buildOpenCodeConfig(options, SECRETS)).toEqual(buildOpenCodeConfig(BARE, SECRETS));
});

test("without a home folder the user's own environment stays as it is", () => {
  expect(buildOpenCodeEnvironment(BARE, SECRETS)).toEqual({
    PATH: "/bin",
    HOME: "/home/me",
    OPENCODE_CLIENT: "atomic",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(buildOpenCodeConfig(BARE, SECRETS)),
    OPENCODE_SERVER_PASSWORD: "secret",
    OPENCODE_SERVER_USERNAME: "opencode",
  });
});

test("a home folder holds everything of OpenCode's", () => {
  const { OPENCODE_CONFIG_CONTENT: _, ...environment } = buildOpenCodeEnvironment(
    { ...BARE, homeDirectory: "/isolated" },
    SECRETS,
  );
  expect(environment).toEqual({
    PATH: "/bin",
    HOME: "/isolated",
    USERPROFILE: "/isolated",
    XDG_CONFIG_HOME: "/isolated/.config",
    XDG_DATA_HOME: "/isolated/.local/share",
    XDG_CACHE_HOME: "/isolated/.cache",
    XDG_STATE_HOME: "/isolated/.local/state",
    OPENCODE_CLIENT: "atomic",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_SERVER_PASSWORD: "secret",
    OPENCODE_SERVER_USERNAME: "opencode",
  });
});

test.each([
  { options: BARE, name: undefined, expected: undefined },
  { options: BARE, name: "plain", expected: undefined },
  { options: BARE, name: "openrouter/vendor/model", expected: { providerID: "openrouter", modelID: "vendor/model" } },
  { options: ENDPOINT, name: undefined, expected: { providerID: "atomic", modelID: "large" } },
  { options: ENDPOINT, name: "vendor/small", expected: { providerID: "atomic", modelID: "vendor/small" } },
  { options: ENDPOINT, name: "atomic/large", expected: { providerID: "atomic", modelID: "large" } },
  { options: ENDPOINT, name: "other", expected: { providerID: "atomic", modelID: "other" } },
])("the model $name is $expected", ({ options, name, expected }) => {
  expect(resolveModel(options, name)).toEqual(expected);
});
