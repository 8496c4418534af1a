import { describe, expect, test } from "bun:test";
import {
  buildRuntimeArguments,
  buildRuntimeEnvironment,
  buildSessionConfig,
  type CopilotOptions,
  nearestEffort,
  toCopilotMessage,
} from "./copilot-options.ts";

const OPTIONS: CopilotOptions = { workingDirectory: "/work", env: { PATH: "/bin" } };
const ENDPOINT = {
  protocol: "anthropic-messages",
  baseUrl: "http://127.0.0.1:1/v1",
  models: [{ id: "big", contextWindowTokens: 50_000, outputTokens: 2_000 }],
} as const;

/** This machine is reached without a proxy. */
const NO_PROXY = { NO_PROXY: "127.0.0.1,localhost", no_proxy: "127.0.0.1,localhost" };

describe("the runtime", () => {
  test("has exactly the given environment, no secret, and no proxy for this machine", () => {
    expect(buildRuntimeEnvironment(OPTIONS)).toEqual({ ...NO_PROXY, PATH: "/bin" });
    expect(buildRuntimeArguments(OPTIONS)).toEqual(["--headless", "--no-auto-update", "--stdio"]);
  });

  test("uses only its own home and the endpoint", () => {
    const options = { ...OPTIONS, homeDirectory: "/home/own", endpoint: ENDPOINT };
    expect(buildRuntimeEnvironment(options)).toEqual({
      ...NO_PROXY,
      PATH: "/bin",
      HOME: "/home/own",
      USERPROFILE: "/home/own",
      COPILOT_HOME: "/home/own/.copilot",
      COPILOT_CACHE_HOME: "/home/own/.cache/copilot",
      XDG_CONFIG_HOME: "/home/own/.config",
      XDG_DATA_HOME: "/home/own/.local/share",
      XDG_CACHE_HOME: "/home/own/.cache",
      XDG_STATE_HOME: "/home/own/.local/state",
      COPILOT_OFFLINE: "true",
    });
    expect(buildRuntimeArguments(options)).toContain("--no-auto-login");
  });
});

describe("a session's settings", () => {
  const BASE = {
    clientName: "atomic",
    streaming: true,
    workingDirectory: "/work",
    remoteSession: "off",
    skipCustomInstructions: true,
    enableOnDemandInstructionDiscovery: false,
    managedSettings: {
      permissions: {
        disableBypassPermissionsMode: "disable",
        ask: ["Bash", "PowerShell", "Read", "Edit", "Write", "Domain"],
      },
    },
  };

  test("make Copilot ask, leave out what a project could run, and leave the rest unchanged", () => {
    expect<unknown>(buildSessionConfig({ options: OPTIONS, config: {}, workingDirectory: "/work" })).toEqual({
      ...BASE,
      enableConfigDiscovery: false,
      enableFileHooks: false,
      excludedTools: ["builtin:lsp"],
    });
  });

  test.each([
    { title: "are the project's, too, where the user trusts it", userSettings: true, expected: true },
    { title: "are never the project's where the user's own do not count", userSettings: false, expected: false },
  ])("$title", ({ userSettings, expected }) => {
    const options = { ...OPTIONS, userSettings, projectSettings: true };
    const { enableFileHooks } = buildSessionConfig({ options, config: {}, workingDirectory: "/work" });
    expect(enableFileHooks).toBe(expected);
  });

  test.each([
    { systemPrompt: undefined, expected: { mode: "append", content: "Instructions." } },
    { systemPrompt: "Be brief.", expected: { mode: "append", content: "Instructions.\n\nBe brief." } },
    {
      systemPrompt: { mode: "replace", text: "Be brief." } as const,
      expected: { mode: "replace", content: "Instructions.\n\nBe brief." },
    },
  ])("put the instructions before the prompt $systemPrompt", ({ systemPrompt, expected }) => {
    const config = systemPrompt === undefined ? {} : { systemPrompt };
    const settings = { options: OPTIONS, config, workingDirectory: "/work", instructions: "Instructions." };
    expect<unknown>(buildSessionConfig(settings).systemMessage).toEqual(expected);
  });

  test("contain Atomic's session settings", () => {
    const config = {
      systemPrompt: { mode: "replace", text: "Be brief." },
      allowedTools: ["read", "bash", "report_intent"],
      permissions: { rules: [{ effect: "deny", tools: ["agent"] }] },
      mcpServers: {
        local: { type: "stdio", command: "mcp", env: { KEY: "1" } },
        remote: { type: "http", url: "http://127.0.0.1:2/mcp", headers: { Authorization: "Bearer x" } },
      },
    } as const;
    const options = { ...OPTIONS, endpoint: ENDPOINT, userSettings: false };
    const settings = { options, config, workingDirectory: "/work", reasoningEffort: "high" } as const;
    expect<unknown>(buildSessionConfig({ ...settings, disabledMcpServers: ["theirs"] })).toEqual({
      ...BASE,
      model: "big",
      reasoningEffort: "high",
      systemMessage: { mode: "replace", content: "Be brief." },
      availableTools: [
        ...["view", "bash", "powershell", "write_bash", "write_powershell"].map((n) => `builtin:${n}`),
        ...["read_bash", "stop_bash", "list_bash"].map((n) => `builtin:${n}`),
        ...["read_powershell", "stop_powershell", "list_powershell", "report_intent"].map((n) => `builtin:${n}`),
        "mcp:*",
        "custom:*",
      ],
      excludedTools: ["builtin:task", "builtin:lsp"],
      mcpServers: {
        local: { type: "stdio", command: "mcp", args: [], tools: ["*"], env: { KEY: "1" } },
        remote: { type: "http", url: "http://127.0.0.1:2/mcp", tools: ["*"], headers: { Authorization: "Bearer x" } },
      },
      disabledMcpServers: ["theirs"],
      enableConfigDiscovery: false,
      enableFileHooks: false,
      enableSkills: false,
      enableSessionTelemetry: false,
      provider: {
        type: "anthropic",
        baseUrl: "http://127.0.0.1:1",
        apiKey: "none",
        maxPromptTokens: 50_000,
        maxOutputTokens: 2_000,
      },
      modelCapabilities: {
        supports: { vision: true, reasoningEffort: true },
        limits: { max_context_window_tokens: 50_000, max_prompt_tokens: 50_000, max_output_tokens: 2_000 },
      },
    });
  });
});

test.each([
  { wanted: "max", supported: ["low", "medium", "high"], expected: "high" },
  { wanted: "max", supported: ["low", "xhigh"], expected: "xhigh" },
  { wanted: "none", supported: ["low", "medium"], expected: "low" },
  { wanted: "medium", supported: ["low", "high"], expected: "low" },
  { wanted: "high", supported: [], expected: undefined },
] as const)("of the efforts $supported, $wanted becomes $expected", ({ wanted, supported, expected }) => {
  expect(nearestEffort(wanted, supported)).toBe(expected);
});

test("files and pictures are attached to the text", () => {
  const message = [
    { type: "text", text: "Look" },
    { type: "file", path: "a.txt" },
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "text", text: "closely." },
  ] as const;
  expect(toCopilotMessage(message, "/work")).toEqual({
    prompt: "Look\nclosely.",
    attachments: [
      { type: "file", path: "/work/a.txt" },
      { type: "blob", data: "AAAA", mimeType: "image/png" },
    ],
  });
  expect(toCopilotMessage("Just text.", "/work")).toEqual({ prompt: "Just text." });
});
