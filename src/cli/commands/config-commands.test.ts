import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lstat, mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const USER = "home/.atomic/config.json";
const PROJECT = "project/.atomic/config.json";

interface Call {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function config(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Call> {
  const { exitCode, stdout, stderr } = await environment.start(["config", ...args], { env }).ended;
  return { exitCode, stdout: environment.normalise(stdout), stderr: environment.normalise(stderr) };
}

const done = (stdout: string): Call => ({ exitCode: 0, stdout: `${stdout}\n`, stderr: "" });
const failed = (exitCode: number, lines: readonly string[]): Call => ({
  exitCode,
  stdout: "",
  stderr: `error: ${lines.join("\n       ")}\n`,
});

describe("get", () => {
  beforeEach(async () => {
    await environment.write({
      [USER]:
        '{\n  // mine\n  "agent": "claude",\n  "model": "m",\n  "permissions": { "rules": [{ "effect": "deny" }] }\n}\n',
      [PROJECT]: '{\n  "agent": "opencode", "permissions": { "rules": [{ "effect": "ask" }] }\n}\n',
    });
    await environment.trustProject();
  });

  test.each([
    { key: "model", value: "m", origin: "<root>/home/.atomic/config.json:4" },
    { key: "agent", value: "opencode", origin: "<root>/project/.atomic/config.json:2" },
    { key: "permissions.otherwise", value: "ask", origin: "default" },
    {
      key: "permissions.rules",
      value: '[{"effect":"deny"},{"effect":"ask"}]',
      origin: "<root>/home/.atomic/config.json and <root>/project/.atomic/config.json",
    },
    { key: "permissions.rules[1].effect", value: "ask", origin: "default" },
  ])("prints the value of $key that is in effect, and where it is from", async ({ key, value, origin }) => {
    expect(await config(["get", key])).toEqual(done(value));
    if (!key.includes("[")) expect(await config(["get", key, "--origin"])).toEqual(done(`${value}\t${origin}`));
  });

  test("makes what a value would do to a terminal visible, and prints it to programs as it is", async () => {
    const value = "a\u001b]0;pwn\u0007\u001b[31mb\u202e";
    await environment.write({ [USER]: JSON.stringify({ model: value }) });
    const { stdout } = await environment.start(["config", "get", "model"], { isTTY: true }).ended;
    expect(["\u001b", "\u0007", "\u202e"].filter((sign) => stdout.includes(sign))).toEqual([]);
    expect(await config(["get", "model"])).toEqual(done(value));
  });

  test("names the variable that overrides the files, and the option that would override it, in JSON", async () => {
    const env = { ATOMIC_AGENT: "copilot" };
    expect(await config(["get", "agent", "--origin"], env)).toEqual(done("copilot\tthe variable ATOMIC_AGENT"));
    const { stdout } = await config(["get", "agent", "--json"], env);
    expect(JSON.parse(stdout)).toEqual({
      key: "agent",
      value: "copilot",
      origin: { type: "environment", variable: "ATOMIC_AGENT" },
      flag: "--agent",
    });
  });

  test("prints what one file has, on demand", async () => {
    expect(await config(["get", "agent", "--user"])).toEqual(done("claude"));
    expect(await config(["get", "agent", "--project"])).toEqual(done("opencode"));
    expect(await config(["get", "model", "--project"])).toEqual(
      failed(1, [
        "The setting model is not set in the settings of this project, or the project is not trusted.",
        "Set it with: atomic config set model VALUE --project",
        "(SETTING_NOT_SET)",
      ]),
    );
  });

  test.each([
    { key: "ui.thme", says: 'There is no setting "ui.thme". Did you mean "ui.theme"?' },
    { key: "agents.claude.command", says: 'There is no setting "agents.claude.command".' },
    { key: "..", says: '".." is not the key of a setting.' },
    { key: "", says: "The key of the setting is empty." },
  ])("of an unknown setting is an error: $key", async ({ key, says }) => {
    const { exitCode, stdout, stderr } = await config(["get", key]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr.replace(/\n +/g, " ")).toStartWith(`error: ${says}`);
  });
});

describe("set and unset", () => {
  test("change one setting of the user's file, and keep its comments and permissions", async () => {
    await environment.write({ [USER]: '{\n  // mine\n  "agent": "claude", // the best\n}\n' });
    expect(await config(["set", "ui.vi", "true"])).toEqual(done("ui.vi = true in <root>/home/.atomic/config.json"));
    expect(await config(["set", "agent", "opencode"])).toEqual(
      done("agent = opencode in <root>/home/.atomic/config.json"),
    );
    expect(await environment.read(USER)).toBe(
      '{\n  // mine\n  "agent": "opencode", // the best\n  "ui": {\n    "vi": true\n  },\n}\n',
    );
    expect(await config(["unset", "ui.vi"])).toEqual(done("Removed ui.vi from <root>/home/.atomic/config.json"));
    expect(await config(["unset", "ui.vi"])).toEqual(
      failed(1, [
        "The setting ui.vi is not set in <root>/home/.atomic/config.json.",
        "Set it with: atomic config set ui.vi VALUE",
        "(SETTING_NOT_SET)",
      ]),
    );
  });

  test("take JSON where the setting takes no text, and names with dots in brackets", async () => {
    await config(["set", "models.fallback", '["a", "b"]']);
    await config(["set", 'agents["my.agent"].command', "5"]);
    await config(["set", "sandbox", "true"]);
    await config(["set", "models.fallback[1]", "c"]);
    expect(JSON.parse(await environment.read(USER))).toEqual({
      models: { fallback: ["a", "c"] },
      agents: { "my.agent": { command: "5" } },
      sandbox: true,
    });
    expect(((await stat(join(environment.root, USER))).mode & 0o777).toString(8)).toBe("600");
  });

  test("write config.jsonc where that is the file, and through a link", async () => {
    await environment.write({ "dotfiles/atomic.jsonc": "{}" });
    await symlink(join(environment.root, "dotfiles/atomic.jsonc"), join(environment.atomicHome, "config.jsonc"));
    await config(["set", "model", "m"]);
    expect((await lstat(join(environment.atomicHome, "config.jsonc"))).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await environment.read("dotfiles/atomic.jsonc"))).toEqual({ model: "m" });
    expect(await readdir(environment.atomicHome)).not.toContain("config.json");
  });

  test("replace no link whose file is missing at the moment", async () => {
    await symlink("/gone/atomic.json", join(environment.atomicHome, "config.json"));
    expect(await config(["set", "model", "m"])).toEqual(
      failed(2, [
        "The settings in <root>/home/.atomic/config.json cannot be used:",
        "  - It is a link to /gone/atomic.json, which does not exist. Make that available, or remove the link.",
        "Correct the file.",
        "(CONFIG_INVALID)",
      ]),
    );
    expect((await lstat(join(environment.atomicHome, "config.json"))).isSymbolicLink()).toBe(true);
  });

  test.each([
    {
      args: ["ui.mode", "wide"],
      problem: 'ui.mode: "wide" is not possible. Possible: "full", "inline", "plain".',
      key: "ui.mode",
    },
    {
      args: ["permissions.rules", '[{"effect":"deny","tols":[]}]'],
      problem:
        'permissions.rules[0].tols: unknown key, with the value []. Did you mean "tools"? Possible keys: effect, tools, paths, commands.',
      key: "permissions.rules",
    },
  ])("reject a wrong value of $key, and change nothing", async ({ args, key, problem }) => {
    const before = '{\n  "fromTheFuture": 1\n}\n';
    await environment.write({ [USER]: before });
    expect(await config(["set", ...args])).toEqual(
      failed(2, [
        `The setting ${key} was not changed in <root>/home/.atomic/config.json:`,
        `  - ${problem}`,
        "Correct the value.",
        "(SETTING_INVALID)",
      ]),
    );
    expect(await environment.read(USER)).toBe(before);
  });

  test("with --project change the project's file; without trust, a note says that it has no effect", async () => {
    expect(await config(["set", "model", "m", "--project"])).toEqual({
      ...done("model = m in <root>/project/.atomic/config.json"),
      stderr: "note: this project is not trusted, so its settings have no effect: atomic trust add\n",
    });
    await environment.trustProject();
    expect(await config(["set", "model", "n", "--project"])).toEqual(
      done("model = n in <root>/project/.atomic/config.json"),
    );
    // The change is the user's own, so nothing is reported later.
    expect((await environment.atomic("workflows", "list")).stderr).toBe("");
    expect(await config(["get", "model"])).toEqual(done("n"));
  });

  test("put nothing into a project's file that only the user may set, and follow no link out of it", async () => {
    expect(await config(["set", "notifications.desktop", "true", "--project"])).toEqual(
      failed(2, [
        "The setting notifications.desktop was not changed in <root>/project/.atomic/config.json:",
        "  - notifications.desktop: it decides what Atomic sends to whom, so only your own settings may set this",
        "Correct the value.",
        "(SETTING_INVALID)",
      ]),
    );
    await mkdir(join(environment.root, "outside"));
    await environment.write({ "outside/c.json": "{}" });
    await symlink(join(environment.root, "outside/c.json"), join(environment.root, PROJECT));
    expect((await config(["set", "model", "m", "--project"])).exitCode).toBe(2);
    expect(await environment.read("outside/c.json")).toBe("{}");
  });

  test("know no key that an object would lose", async () => {
    const { exitCode, stderr } = await config(["set", "agents.__proto__.command", "x"]);
    expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({
      exitCode: 2,
      first: 'error: There is no setting "agents.__proto__.command".',
    });
  });

  test("create no file of a project in a folder that a link leads to", async () => {
    await mkdir(join(environment.root, "outside"));
    await rm(join(environment.root, "project/.atomic"), { recursive: true, force: true });
    await symlink(join(environment.root, "outside"), join(environment.root, "project/.atomic"));
    const { exitCode, stderr } = await config(["set", "permissions.otherwise", "allow", "--project"]);
    expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({
      exitCode: 2,
      first: "error: <root>/outside/config.json is outside of the project <root>/project.",
    });
    expect(await readdir(join(environment.root, "outside"))).toEqual([]);
  });

  test("leave a broken file alone, and name it", async () => {
    await environment.write({ [USER]: "{ broken" });
    const { exitCode, stderr } = await config(["set", "model", "m"]);
    expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({
      exitCode: 2,
      first: "error: The settings in <root>/home/.atomic/config.json cannot be used:",
    });
    expect(await environment.read(USER)).toBe("{ broken");
  });
});

describe("list, path and schema", () => {
  test("list says what is set where, without secrets", async () => {
    expect(await config(["list"])).toEqual(done("Nothing is set. See all settings: atomic config list --all"));
    const endpoint = { protocol: "openai-chat", baseUrl: "http://127.0.0.1:9/", apiKey: "sk-0123456789abcdef" };
    await environment.write({
      [USER]: JSON.stringify({ agents: { claude: { endpoint: { ...endpoint, models: [{ id: "x" }] } } } }),
    });
    const { stdout } = await config(["list"]);
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
      "SETTING | VALUE | FROM",
      "agents.claude.endpoint.protocol | openai-chat | <root>/home/.atomic/config.json:1",
      "agents.claude.endpoint.baseUrl | http://127.0.0.1:9/ | <root>/home/.atomic/config.json:1",
      "agents.claude.endpoint.apiKey | [redacted:agents.claude.endpoint.apiKey] | <root>/home/.atomic/config.json:1",
      'agents.claude.endpoint.models | [{"id":"x"}] | <root>/home/.atomic/config.json:1',
      "",
    ]);
    expect((await config(["list", "--json"])).stdout).not.toContain("sk-0123456789abcdef");
    expect((await config(["get", "agents.claude.endpoint.apiKey"])).stdout).not.toContain("sk-0123456789abcdef");
  });

  test("list --all has the settings that are not set, with their defaults", async () => {
    await environment.write({ [USER]: '{ "ui": { "theme": "light" } }' });
    const { stdout } = await config(["list", "--all", "--json"]);
    const found: { readonly key: string; readonly value?: unknown; readonly origin: unknown }[] = JSON.parse(stdout);
    expect(found.filter(({ key }) => /^(agent|ui\.(mode|theme))$/.test(key))).toEqual([
      { key: "ui.theme", value: "light", origin: { type: "user", path: "<root>/home/.atomic/config.json", line: 1 } },
      { key: "agent", value: "opencode", origin: { type: "default" } },
      { key: "ui.mode", origin: { type: "default" } },
    ]);
  });

  test("path prints where each file is, or would be", async () => {
    await environment.write({ "home/.atomic/config.jsonc": "{}" });
    expect(await config(["path"])).toEqual(done("<root>/home/.atomic/config.jsonc"));
    expect(await config(["path", "--project"])).toEqual(done("<root>/project/.atomic/config.json"));
    expect(JSON.parse((await config(["path", "--json"])).stdout)).toEqual({
      user: { path: "<root>/home/.atomic/config.jsonc", exists: true },
      project: { path: "<root>/project/.atomic/config.json", exists: false, isTrusted: false },
    });
  });

  test("schema prints JSON Schema", async () => {
    const { stdout } = await config(["schema"]);
    expect(JSON.parse(stdout)).toMatchObject({
      title: "Settings of Atomic",
      type: "object",
      additionalProperties: false,
    });
  });

  test("edit needs a terminal, and says what works without one", async () => {
    expect(await config(["edit"])).toEqual(
      failed(2, [
        "The editor needs a terminal.",
        "Edit <root>/home/.atomic/config.json, or use: atomic config set KEY VALUE",
        "(USAGE)",
      ]),
    );
  });
});
