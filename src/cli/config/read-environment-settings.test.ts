import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfigLayers, mergeConfigs } from "./config.ts";

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-config-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(folder: "user" | "project", config: unknown): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
}

describe("environment variables", () => {
  const loadWith = async (env: Readonly<Record<string, string>>): Promise<Config> =>
    mergeConfigs(
      await loadConfigLayers({ atomicHome: join(root, "user"), trustedProjectFolder: join(root, "project"), env }),
    );

  test("override both files, the models of single agents included", async () => {
    await write("user", { agent: "claude", model: "m", agents: { claude: { model: "n", userSettings: false } } });
    await write("project", { agent: "opencode", ui: { theme: "shop", vi: true } });
    const env = { ATOMIC_AGENT: "copilot", ATOMIC_MODEL: "o", ATOMIC_UI_THEME: "light", ATOMIC_UI_REDUCED_MOTION: "1" };
    expect<unknown>(await loadWith(env)).toEqual({
      agent: "copilot",
      agentPath: "the variable ATOMIC_AGENT",
      model: "o",
      agents: { claude: { userSettings: false } },
      ui: { theme: "light", vi: true, reducedMotion: true },
    });
  });

  test("count as not set if they are empty", async () => {
    expect<unknown>(await loadWith({ ATOMIC_AGENT: "", ATOMIC_UI_MODE: "" })).toEqual({});
  });

  test.each([
    {
      env: { ATOMIC_UI_MODE: "wide" },
      message:
        'The variable ATOMIC_UI_MODE is "wide", which is not possible. Possible: full, inline, plain. Or unset it.',
    },
    {
      env: { ATOMIC_UI_REDUCED_MOTION: "maybe" },
      message:
        'The variable ATOMIC_UI_REDUCED_MOTION is "maybe", which is not possible. Possible: 1, 0, true, false. Or unset it.',
    },
  ])("with a wrong value are an error: $message", async ({ env, message }) => {
    await expect(loadWith(env)).rejects.toThrow(message);
  });
});
