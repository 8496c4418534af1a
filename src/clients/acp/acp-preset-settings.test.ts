import { describe, expect, test } from "bun:test";
import type { ClientOptions, ModelEndpoint } from "../client-options.ts";
import { buildAcpEnvironment, buildPresetSettings } from "./acp-preset-settings.ts";
import { ACP_PRESETS, type AcpPresetName } from "./acp-presets.ts";

const endpoint: ModelEndpoint = {
  protocol: "openai-chat",
  baseUrl: "http://127.0.0.1:1/v1",
  apiKey: "secret",
  models: [{ id: "local", contextWindowTokens: 9 }],
};
const options: ClientOptions = { workingDirectory: "/work", env: { PATH: "/bin" }, homeDirectory: "/home/x", endpoint };
// The cast is true: the keys of the table are the names.
const NAMES = Object.keys(ACP_PRESETS) as readonly AcpPresetName[];

describe("the settings of a preset", () => {
  test.each(NAMES)("%s: what holds the key in its environment is kept from commands", (name) => {
    const { env, secretNames } = buildPresetSettings(name, options);
    const holding = Object.keys(env).filter((key) => env[key]?.includes("secret"));
    expect(holding.filter((key) => !secretNames.includes(key))).toEqual([]);
    expect(holding.length).toBe(name === "gemini" ? 0 : 1);
  });

  test("goose, copilot and codex are told endpoint and model in their environment", () => {
    expect(buildPresetSettings("goose", options).env).toEqual({
      GOOSE_MODE: "approve",
      GOOSE_TELEMETRY_OFF: "1",
      GOOSE_MODEL: "local",
      GOOSE_PROVIDER: "openai",
      OPENAI_HOST: "http://127.0.0.1:1",
      OPENAI_BASE_PATH: "v1/chat/completions",
      OPENAI_API_KEY: "secret",
    });
    expect(buildPresetSettings("copilot", options).env).toEqual({
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_HOME: "/home/x/.copilot",
      COPILOT_MODEL: "local",
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:1/v1",
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: "secret",
      COPILOT_PROVIDER_WIRE_API: "completions",
    });
    expect(JSON.parse(buildPresetSettings("codex", options).env.CODEX_CONFIG ?? "")).toMatchObject({
      model: "local",
      model_provider: "atomic",
      model_providers: { atomic: { base_url: "http://127.0.0.1:1/v1", env_key: "ATOMIC_ENDPOINT_KEY" } },
    });
  });

  test("opencode asks about everything, whatever the user has set, and gives no work to sub-agents", () => {
    const own = JSON.stringify({ permission: { bash: "allow" }, theme: "dark" });
    const { env } = buildPresetSettings("opencode", { ...options, env: { OPENCODE_CONFIG_CONTENT: own } });
    const config = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "");
    expect([
      config.theme,
      config.model,
      config.permission.bash,
      config.permission["*"],
      config.permission.task,
    ]).toEqual(["dark", "atomic/local", "ask", "ask", "deny"]);
    const broken = buildPresetSettings("opencode", { ...options, env: { OPENCODE_CONFIG_CONTENT: "{" } });
    expect(JSON.parse(broken.env.OPENCODE_CONFIG_CONTENT ?? "").share).toBe("disabled");
  });

  test("claude asks even where the user's rules allow, and can leave the user's settings out", () => {
    const { sessionMeta } = buildPresetSettings("claude", { ...options, userSettings: false });
    expect(sessionMeta?.({ title: "Mine" })).toMatchObject({
      claudeCode: {
        options: {
          title: "Mine",
          settingSources: [],
          settings: { permissions: { ask: expect.arrayContaining(["Bash"]) } },
        },
      },
    });
    expect(JSON.stringify(buildPresetSettings("claude", options).sessionMeta?.({}))).not.toContain("settingSources");
  });

  test("claude is spared the search for who is signed in when there is an endpoint", () => {
    expect(buildPresetSettings("claude", options).authMethod).toBe("gateway");
    expect(buildPresetSettings("claude", { workingDirectory: "/work", env: {} }).authMethod).toBeUndefined();
  });

  test("an agent without a preset gets the environment as it is, with a home of its own when one is given", () => {
    const settings = buildPresetSettings(undefined, options);
    expect(buildAcpEnvironment({ workingDirectory: "/work", env: { A: "1" } }, settings)).toEqual({ A: "1" });
    expect(buildAcpEnvironment(options, settings)).toMatchObject({
      HOME: "/home/x",
      XDG_DATA_HOME: "/home/x/.local/share",
    });
  });
});
