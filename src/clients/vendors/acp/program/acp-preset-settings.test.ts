import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { recordOf, stringOf } from "../../../../contracts/index.ts";
import type { ClientOptions, ModelEndpoint } from "../../../options/client-options.ts";
import { buildAcpEnvironment } from "./acp-environment.ts";
import { buildPresetSettings } from "./acp-preset-settings.ts";
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
  // OpenCode is prepared for each process, see below.
  test.each(NAMES.filter((name) => name !== "opencode"))(
    "%s: what holds the key in its environment is kept from commands",
    (name) => {
      const { env, secretNames } = buildPresetSettings(name, options);
      const holding = Object.keys(env).filter((key) => env[key]?.includes("secret"));
      expect(holding.filter((key) => !secretNames.includes(key))).toEqual([]);
      expect(holding.length).toBe(name === "gemini" || name === "claude" ? 0 : 1);
    },
  );

  test("goose, copilot and codex get endpoint and model in their environment", () => {
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

  test("opencode gets all settings from the preparation of each process, and hides them from commands and MCP servers", async () => {
    const homeDirectory = await mkdtemp(path.join(tmpdir(), "atomic-home-"));
    const { prepare, secretNames, mcpServerEnv, ...settings } = buildPresetSettings("opencode", {
      ...options,
      homeDirectory,
    });
    const prepared = await prepare?.(async () => ({ type: "block", reason: "" }));
    const env = prepared?.env ?? {};
    const secretsFile = path.join(path.dirname(env.BUN_INSPECT_PRELOAD ?? ""), "secrets.json");
    const { OPENCODE_CONFIG_CONTENT, OPENCODE_SERVER_PASSWORD } = await Bun.file(secretsFile).json();
    const { plugin, ...config } = JSON.parse(OPENCODE_CONFIG_CONTENT);
    const pluginFile = fileURLToPath(plugin[0][0]);
    expect(settings).toEqual({ env: {}, args: [] });
    expect([secretNames, mcpServerEnv]).toEqual([
      ["OPENCODE_SERVER_PASSWORD", "OPENCODE_CONFIG_CONTENT"],
      {
        OPENCODE_SERVER_PASSWORD: "",
        OPENCODE_CONFIG_CONTENT: "",
        npm_config_offline: "",
        OPENCODE_MODELS_PATH: "",
        GIT_CONFIG_COUNT: "",
      },
    ]);
    expect(JSON.stringify(env)).not.toContain("secret");
    expect((await stat(secretsFile)).mode & 0o777).toBe(0o600);
    expect(env).toMatchObject({ PATH: "/bin", HOME: homeDirectory, OPENCODE_PERMISSION: "" });
    expect(config).toMatchObject({ model: "atomic/local", permission: { bash: "ask", task: "deny" } });
    expect([OPENCODE_SERVER_PASSWORD.length, existsSync(pluginFile)]).toEqual([45, true]);
    await prepared?.release();
    await rm(homeDirectory, { recursive: true });
    expect(existsSync(pluginFile)).toBe(false);
  });

  test.each([
    { userSettings: false, projectSettings: true, expected: [] },
    { userSettings: true, projectSettings: false, expected: ["user"] },
    { userSettings: true, projectSettings: true, expected: undefined },
  ])("claude calls back before each call, and reads the settings it may: $expected", async (trust) => {
    const { expected, ...rest } = trust;
    const { prepare } = buildPresetSettings("claude", { ...options, ...rest });
    const prepared = await prepare?.(async () => ({ type: "block", reason: "" }));
    const session = await prepared?.openSession?.({ config: { title: "Mine" }, guard: () => undefined });
    const { options: sent } = recordOf(recordOf(session?.meta).claudeCode);
    const file = stringOf(recordOf(recordOf(sent).extraArgs).settings);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(prepared?.readable).toContain(path.dirname(file));
    const settings = JSON.parse(readFileSync(file, "utf8"));
    await session?.close();
    expect(existsSync(file)).toBe(false);
    await prepared?.release();
    expect({ ...recordOf(sent), settings }).toMatchObject({
      title: "Mine",
      mcpServersDelivery: "initialize",
      disallowedTools: expect.arrayContaining(["CronCreate"]),
      settings: {
        disableAllHooks: false,
        disableSkillShellExecution: true,
        crossSessionInbound: "refuse",
        permissions: { ask: expect.arrayContaining(["Bash", "EnterWorktree", "ReadMcpResourceTool", "mcp__*"]) },
        hooks: { PreToolUse: [{ hooks: [{ type: "http", onFailure: "block" }] }] },
      },
    });
    expect(recordOf(sent).settingSources).toEqual(expected);
  });

  test("each process of claude has its own port and key folder, which are known before its sessions", async () => {
    const { prepare } = buildPresetSettings("claude", options);
    const [first, second] = await Promise.all(
      [1, 2].map(async () => prepare?.(async () => ({ type: "block", reason: "" }))),
    );
    const session = await first?.openSession?.({ config: {}, guard: () => undefined });
    const { extraArgs } = recordOf(recordOf(recordOf(session?.meta).claudeCode).options);
    const settings = JSON.parse(readFileSync(stringOf(recordOf(extraArgs).settings), "utf8"));
    const { PreToolUse } = recordOf(recordOf(settings).hooks);
    expect(JSON.stringify(PreToolUse)).toContain(`http://127.0.0.1:${first?.ports[0]}/before-tool`);
    const [folder = ""] = first?.writable ?? [];
    const [key = ""] = await readdir(folder);
    expect(recordOf(settings).apiKeyHelper).toBe(`cat '${folder}/${key}' && rm -f '${folder}/${key}'`);
    expect((await stat(path.join(folder, key))).mode & 0o777).toBe(0o600);
    await session?.close();
    expect(await readdir(folder)).toEqual([]);
    expect([first?.ports, first?.writable]).not.toEqual([second?.ports, second?.writable]);
    await Promise.all([first?.release(), second?.release()]);
    expect(existsSync(folder)).toBe(false);
  });

  test("claude does not check who is signed in when there is an endpoint", () => {
    expect(buildPresetSettings("claude", options).authMethod).toBe("gateway");
    expect(buildPresetSettings("claude", { workingDirectory: "/work", env: {} }).authMethod).toBeUndefined();
  });

  test("an agent without a preset gets the environment unchanged except for proxies, and the home folder of the options", () => {
    const settings = buildPresetSettings(undefined, options);
    const noProxy = { NO_PROXY: "b,127.0.0.1,localhost", no_proxy: "b,127.0.0.1,localhost" };
    const env = { A: "1", no_proxy: "b" };
    expect(buildAcpEnvironment({ workingDirectory: "/work", env }, settings)).toEqual({ A: "1", ...noProxy });
    expect(buildAcpEnvironment(options, settings)).toMatchObject({
      HOME: "/home/x",
      XDG_DATA_HOME: "/home/x/.local/share",
    });
  });
});
