import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, ConfigInvalidError, loadConfigLayers, mergeConfigs, parseConfig } from "./config.ts";

let root = "";

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-config-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(folder: "user" | "project", config: unknown): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, folder, "config.json"), typeof config === "string" ? config : JSON.stringify(config));
}

async function load(): Promise<Config> {
  const trustedProjectFolder = join(root, "project");
  return mergeConfigs(await loadConfigLayers({ atomicHome: join(root, "user"), trustedProjectFolder }));
}

async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await parseConfig(text, "/config.json");
  } catch (error) {
    if (error instanceof ConfigInvalidError) return error.problems;
    throw error;
  }
  throw new Error("The settings were accepted");
}

/** The warnings of a file with this text, in the user's folder. */
async function warningsOf(text: string): Promise<readonly string[]> {
  await write("user", text);
  const { warnings } = await loadConfigLayers({ atomicHome: join(root, "user"), trustedProjectFolder: undefined });
  return warnings.map((warning) => warning.replace(join(root, "user"), "~"));
}

test("an unknown key that guards nothing is left out, with a warning that has its line and the nearest name", async () => {
  const text =
    '{\n  "agnet": "claude",\n  "ui": {\n    "thme": "dark",\n    "vi": true\n  },\n  "fromTheFuture": 1\n}\n';
  const top =
    "Possible keys: agent, model, models, permissions, limits, sandbox, agents, hooks, notifications, ui. It has no effect.";
  const ui = "Possible keys: mode, theme, themes, keys, mouse, reducedMotion, vi, statusLine. It has no effect.";
  expect(await warningsOf(text)).toEqual([
    `~/config.json:4: ui.thme: unknown key, with the value "dark". Did you mean "theme"? ${ui}`,
    `~/config.json:2: agnet: unknown key, with the value "claude". Did you mean "agent"? ${top}`,
    `~/config.json:7: fromTheFuture: unknown key, with the value 1. ${top}`,
  ]);
  expect<unknown>(await load()).toEqual({ ui: { vi: true } });
});

test.each(["permisions", "sandbx", "limit", "agnets", "notification", "rules", "deny", "otherwise", "readRoot"])(
  "an unknown key that may be meant to guard something is an error: %s",
  async (key) => {
    const problems = await problemsOf(JSON.stringify({ [key]: [] }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(`${key}: unknown key, with the value [].`);
  },
);

test("unknown keys inside settings that guard something are errors", async () => {
  for (const text of [
    '{"permissions":{"x":1}}',
    '{"limits":{"x":1}}',
    '{"agents":{"claude":{"x":1}}}',
    '{"sandbox":{"x":1}}',
  ])
    expect(await problemsOf(text)).toHaveLength(1);
});

test("$schema is for editors", async () => {
  expect<unknown>(await parseConfig('{ "$schema": "./config.schema.json", "model": "m" }', "/c")).toEqual({
    model: "m",
  });
});

test("a mistake has the line of its key", async () => {
  await write("user", '{\n  // mine\n  "ui": {\n    "mode": "inlin"\n  }\n}\n');
  await expect(load()).rejects.toThrow(
    `The settings in ${join(root, "user/config.json")} cannot be used:\n  - line 4: ui.mode: "inlin" is not possible. Did you mean "inline"? Possible: "full", "inline", "plain".\nCorrect the file.`,
  );
  await write("user", "{}");
  await write("project", '{\n  "limits": {\n    "maxAgentsOnMachine": 3\n  }\n}\n');
  await expect(load()).rejects.toThrow(
    "  - line 3: limits.maxAgentsOnMachine: it applies to all projects, so only your own settings may set this\n",
  );
});

test("the file may be called config.jsonc; with both names, neither is used", async () => {
  await mkdir(join(root, "user"));
  await writeFile(join(root, "user/config.jsonc"), '{ "agent": "claude", }');
  expect(await load()).toEqual({ agent: "claude", agentPath: join(root, "user/config.jsonc") });
  await write("user", "{}");
  await expect(load()).rejects.toThrow(
    `The settings in ${join(root, "user/config.jsonc")} cannot be used:\n  - There is also ${join(root, "user/config.json")}. Move its settings into one of the two.\nCorrect the file.`,
  );
});

test.each([
  { title: "UTF-16", bytes: Buffer.from("\ufeff{}", "utf16le") },
  { title: "UTF-16 without its mark", bytes: Buffer.from("{}", "utf16le") },
  { title: "Latin-1", bytes: Buffer.from('{ "model": "\u00fc" }', "latin1") },
])("a file in $title is an error, whatever it has in it", async ({ bytes }) => {
  await mkdir(join(root, "user"));
  await writeFile(join(root, "user/config.json"), bytes);
  await expect(load()).rejects.toThrow(
    `The settings in ${join(root, "user/config.json")} cannot be used:\n  - It is not encoded in UTF-8. Save it as UTF-8.\nCorrect the file.`,
  );
});

test("a link to a file or folder that is missing is an error, since rules in it would be lost", async () => {
  const [file, folder] = [join(root, "user/config.jsonc"), join(root, "project")];
  const message = (path: string): string =>
    `The settings in ${path} cannot be used:\n  - It is a link to ${root}/gone, which does not exist. Make that available, or remove the link.\nCorrect the file.`;
  await mkdir(join(root, "user"));
  await symlink(join(root, "gone"), file);
  await expect(load()).rejects.toThrow(message(file));
  await rm(file);
  await symlink(join(root, "gone"), folder);
  await expect(load()).rejects.toThrow(message(folder));
});
