import { describe, expect, test } from "bun:test";
import { recordOf, type SessionConfig } from "../../../contracts/index.ts";
import type { ModelEndpoint } from "../../options/client-options.ts";
import { configDirectoryOf, restrictiveSettings } from "../claude-settings/claude-restrictions.ts";
import {
  buildEnvironment,
  buildQueryOptions,
  ClaudeEndpointError,
  type ClaudeOptions,
  type LaunchSettings,
} from "./claude-options.ts";

const OPTIONS: ClaudeOptions = { workingDirectory: "/work", env: { PATH: "/bin", HOME: "/home/me" } };

const ENDPOINT: ModelEndpoint = {
  protocol: "anthropic-messages",
  baseUrl: "http://127.0.0.1:1234/v1/",
  apiKey: "key",
  models: [{ id: "first", contextWindowTokens: 50_000 }, { id: "second" }],
};

const OWN_SETTINGS = {
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  MAX_STRUCTURED_OUTPUT_RETRIES: "3",
};

function launch(config: SessionConfig = {}, changes: Partial<LaunchSettings> = {}): LaunchSettings {
  const place = { workingDirectory: "/work", executable: "/bin/claude", sessionId: "id" };
  return { config, ...place, isResumed: false, outputSchema: undefined, ...changes };
}

describe("the environment", () => {
  test("is the user's with Atomic's defaults, which the user overrides", () => {
    expect(buildEnvironment(OPTIONS)).toEqual({ ...OWN_SETTINGS, PATH: "/bin", HOME: "/home/me" });
    const env = { ...OPTIONS.env, CLAUDE_CODE_DISABLE_CRON: "0" };
    expect(buildEnvironment({ ...OPTIONS, env }).CLAUDE_CODE_DISABLE_CRON).toBe("0");
  });

  test("keeps everything in its own home folder, and off the network", () => {
    expect(buildEnvironment({ ...OPTIONS, homeDirectory: "/tmp/home" })).toEqual({
      ...OWN_SETTINGS,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      PATH: "/bin",
      HOME: "/tmp/home",
      USERPROFILE: "/tmp/home",
      CLAUDE_CONFIG_DIR: "/tmp/home/.claude",
    });
  });

  test("selects the endpoint and no other provider, for all of Claude Code's models", () => {
    const env = { ...OPTIONS.env, ANTHROPIC_AUTH_TOKEN: "other", CLAUDE_CODE_USE_BEDROCK: "1" };
    const built = buildEnvironment({ ...OPTIONS, env, endpoint: ENDPOINT, model: "second" });
    expect(built).toMatchObject({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:1234",
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "second",
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: "128000",
    });
    expect([built.ANTHROPIC_AUTH_TOKEN, built.CLAUDE_CODE_USE_BEDROCK]).toEqual([undefined, undefined]);
  });

  test("has the limits of the session's own model", () => {
    const options = { ...OPTIONS, endpoint: ENDPOINT, model: "first" };
    const limitsOf = (config: SessionConfig) => recordOf(buildQueryOptions(options, launch(config)).env);
    expect(limitsOf({})).toMatchObject({
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "first",
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: "50000",
    });
    expect(limitsOf({ model: "second" })).toMatchObject({
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "second",
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: "128000",
    });
  });

  test("rejects an endpoint with another protocol", () => {
    const endpoint = { ...ENDPOINT, protocol: "openai-chat" } as const;
    expect(() => buildEnvironment({ ...OPTIONS, endpoint })).toThrow(new ClaudeEndpointError("openai-chat"));
  });

  test.each([
    { env: { HOME: "/home/me" }, expected: "/home/me/.claude" },
    { env: { HOME: "/home/me", CLAUDE_CONFIG_DIR: "/config" }, expected: "/config" },
  ])("says where the user's settings are: $expected", ({ env, expected }) => {
    expect(configDirectoryOf({ env })).toBe(expected);
  });
});

describe("the settings of a process", () => {
  test("are Claude Code's own where a session has none, and always require permission", () => {
    expect(buildQueryOptions(OPTIONS, launch())).toEqual({
      cwd: "/work",
      env: { ...buildEnvironment(OPTIONS) },
      pathToClaudeCodeExecutable: "/bin/claude",
      permissionMode: "default",
      includePartialMessages: true,
      forwardSubagentText: true,
      systemPrompt: { type: "preset", preset: "claude_code" },
      disallowedTools: [
        "CronCreate",
        "CronDelete",
        "CronList",
        "Monitor",
        "RemoteTrigger",
        "ScheduleWakeup",
        "Workflow",
      ],
      sessionId: "id",
      settingSources: ["user"],
      settings: restrictiveSettings({}, OPTIONS),
    });
  });

  test("let the user's commands and skills run shell lines only where every command is allowed", () => {
    const isDisabled = (config: SessionConfig) =>
      recordOf(buildQueryOptions(OPTIONS, launch(config)).settings).disableSkillShellExecution;
    const beforeTool = async () => ({ type: "continue" }) as const;
    expect([
      isDisabled({ permissions: { rules: [], otherwise: "allow" } }),
      isDisabled({ permissions: { rules: [{ effect: "deny", paths: [".env"] }], otherwise: "allow" } }),
      isDisabled({ permissions: { rules: [], otherwise: "allow" }, beforeTool }),
    ]).toEqual([false, true, true]);
  });

  test.each<{ readonly config: SessionConfig; readonly expected: object }>([
    { config: { model: "opus", title: "T" }, expected: { model: "opus", title: "T" } },
    { config: { reasoningEffort: "max" }, expected: { effort: "max" } },
    { config: { reasoningEffort: "none" }, expected: { effort: "low", thinking: { type: "disabled" } } },
    { config: { allowedTools: ["read", "bash"] }, expected: { tools: ["Read", "NotebookRead", "Bash", "PowerShell"] } },
    {
      config: { systemPrompt: "Be brief." },
      expected: {
        systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief.", snapshot: false },
      },
    },
    {
      config: { systemPrompt: { mode: "replace", text: "You sing." } },
      expected: { systemPrompt: { type: "custom", prompt: "You sing.", snapshot: false } },
    },
    {
      config: { mcpServers: { a: { type: "stdio", command: "a" }, b: { type: "http", url: "http://b" } } },
      expected: {
        mcpServers: {
          a: { type: "stdio", command: "a", args: [], env: {}, alwaysLoad: true },
          b: { type: "http", url: "http://b", headers: {}, alwaysLoad: true },
        },
        mcpServersDelivery: "initialize",
      },
    },
  ])("follow the session's: $config", ({ config, expected }) => {
    expect(buildQueryOptions(OPTIONS, launch(config))).toMatchObject(expected);
  });

  test("resume an existing conversation, and contain the schema of the answers", () => {
    const built = buildQueryOptions(OPTIONS, launch({}, { isResumed: true, outputSchema: { type: "object" } }));
    expect(built).toMatchObject({
      resume: "id",
      outputFormat: { type: "json_schema", schema: { type: "object" } },
    });
    expect(built.sessionId).toBeUndefined();
  });

  test("leave out the dialect of a schema, which Claude Code may not support", () => {
    const outputSchema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" };
    const { outputFormat } = buildQueryOptions(OPTIONS, launch({}, { outputSchema }));
    expect(outputFormat).toEqual({ type: "json_schema", schema: { type: "object" } });
  });

  test("can exclude the user's", () => {
    expect(buildQueryOptions({ ...OPTIONS, userSettings: false }, launch())).toMatchObject({
      settingSources: [],
      strictMcpConfig: true,
    });
  });

  test("are the user's, and the project's only if it is trusted", () => {
    const trusted = buildQueryOptions({ ...OPTIONS, projectSettings: true }, launch());
    const neither = buildQueryOptions({ ...OPTIONS, projectSettings: true, userSettings: false }, launch());
    expect([trusted.settingSources, neither.settingSources]).toEqual([undefined, []]);
  });

  test("keep the endpoint whatever address the user's settings contain", () => {
    expect(buildQueryOptions({ ...OPTIONS, endpoint: ENDPOINT }, launch())).toMatchObject({
      model: "first",
      settings: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:1234" } },
    });
  });
});
