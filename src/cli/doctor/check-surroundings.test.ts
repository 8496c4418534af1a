import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { checkDisk, checkGitHub, checkTerminal } from "./check-surroundings.ts";
import { findLogin } from "./find-login.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

describe("the terminal", () => {
  test.each([
    {
      options: { isTTY: true, isInteractive: true, columns: 120 },
      env: { TERM: "tmux-256color", COLORTERM: "truecolor", LANG: "C.UTF-8", TMUX: "/tmp/x" },
      check: { status: "ok", detail: "tmux-256color, 120 × 24, truecolor, Unicode, tmux" },
    },
    {
      options: { isTTY: true, isInteractive: true },
      env: { TERM: "xterm", LANG: "C" },
      check: { status: "ok", detail: "xterm, 80 × 24, 16 colours, no Unicode" },
    },
    {
      options: { isTTY: true, isInteractive: true },
      env: { TERM: "dumb" },
      check: {
        status: "warning",
        detail: "dumb, 80 × 24, no colours, no Unicode",
        remedy: "The chat prints lines of text only, because TERM is dumb.",
      },
    },
    { options: {}, env: {}, check: { status: "ok", detail: "none: the output is not a terminal" } },
  ])("is described: $check.detail", async ({ options, env, check }) => {
    const call = environment.describe([], { ...options, env: { ...env } as Record<string, string> });
    expect<unknown>(await checkTerminal(call.environment)).toEqual({ name: "terminal", ...check });
  });
});

describe("gh", () => {
  const PATH = (): string => join(environment.root, "bin");
  const check = async (env: Readonly<Record<string, string>> = {}) =>
    await checkGitHub(environment.describe([], { env: { PATH: PATH(), ...env } }).environment);

  test("is missing where it is not on the PATH", async () => {
    expect(await check()).toEqual({
      name: "gh",
      status: "missing",
      detail: "not found",
      remedy: "Only atomic ralph --pr needs it: install GitHub's program gh, and run gh auth login.",
    });
  });

  test("is there with its version, and its login by the file that has it", async () => {
    await environment.write({ "bin/gh": "#!/bin/sh\necho gh version 2.60.0\necho more\n" });
    await chmod(join(PATH(), "gh"), 0o755);
    expect(await check()).toEqual({ name: "gh", status: "ok", detail: "gh version 2.60.0, no login found" });
    expect((await check({ GH_TOKEN: "x" })).detail).toBe("gh version 2.60.0, login found");
    await environment.write({ "home/.config/gh/hosts.yml": "" });
    expect((await check()).detail).toBe("gh version 2.60.0, login found");
  });
});

test.each([
  { free: 12_340_000_000, status: "ok", says: "12.3 GB" },
  { free: 900_500_000, status: "warning", says: "900 MB" },
  { free: 5_000_000, status: "broken", says: "5 MB" },
] as const)("$says of free space is $status", async ({ free, status, says }) => {
  const check = await checkDisk("/home/me/.atomic", async () => free);
  expect({ status: check.status, detail: check.detail }).toEqual({
    status,
    detail: `${says} free for runs, in /home/me/.atomic`,
  });
});

test("the free space of a folder that does not exist yet is that of the one above", async () => {
  expect((await checkDisk(join(environment.root, "a/b"))).detail).toMatch(/^[\d.]+ [GM]B free for runs, in /);
});

describe("the login of an agent", () => {
  const login = (agent: string, about: Partial<Parameters<typeof findLogin>[1]> = {}): string =>
    findLogin(agent, {
      ...{ config: {}, env: {}, userHomeDirectory: join(environment.root, "home"), platform: "linux" },
      ...about,
    });

  test("is found by its file or its variable, which are not read", async () => {
    expect(["claude", "opencode", "gemini", "codex"].map((agent) => login(agent))).toEqual(Array(4).fill("none"));
    await environment.write({
      "home/.claude/.credentials.json": "",
      "home/.local/share/opencode/auth.json": "",
      "home/.gemini/oauth_creds.json": "",
      "home/.codex/auth.json": "",
    });
    expect(["claude", "opencode", "gemini", "codex"].map((agent) => login(agent))).toEqual(Array(4).fill("found"));
    expect(login("copilot", { env: { GH_TOKEN: "x" } })).toBe("found");
  });

  test("is unknown where only the agent can look, and not needed with an endpoint", () => {
    expect(login("claude", { platform: "darwin" })).toBe("unknown");
    expect([login("copilot"), login("goose"), login("mine")]).toEqual(["unknown", "unknown", "unknown"]);
    const endpoint = { protocol: "openai-chat" as const, baseUrl: "http://127.0.0.1:1/", models: [{ id: "m" }] };
    expect(login("claude", { config: { agents: { claude: { endpoint } } } })).toBe("unneeded");
    expect(login("mine", { config: { agents: { mine: { preset: "codex" } } } })).toBe("none");
  });
});
