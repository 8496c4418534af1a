import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../src/cli/config/config.ts";
import { createAtomicSandbox } from "./atomic-sandbox.ts";
import { followDocument, readDocument } from "./document-reader.ts";
import { parseMarkedFences } from "./marked-fences.ts";

const REPOSITORY = join(import.meta.dirname, "..");

test("the README's commands, run in order, do what it says", async () => {
  await using sandbox = await createAtomicSandbox();
  let commands = 0;
  for await (const { command, documented, output } of followDocument(sandbox, await readDocument("README.md"))) {
    expect({ command, output }).toEqual({ command, output: documented });
    commands++;
  }
  expect(commands).toBeGreaterThanOrEqual(9);
}, 120_000);

test("the README's settings are valid", async () => {
  const settings = parseMarkedFences(await readDocument("README.md")).filter(({ marker }) => marker === "settings");
  expect(settings).not.toEqual([]);
  for (const { text } of settings) expect<unknown>(await parseConfig(text, "README.md")).toEqual(Bun.JSONC.parse(text));
});

test.each(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"])(
  "every file of this repository that %s names exists",
  async (document) => {
    const text = (await readDocument(document)).replace(/^```[\s\S]*?^```$/gm, "");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    const quoted = [...text.matchAll(/`((?:src|scripts|bin|bench|examples)\/[\w./-]+|[\w-]+\/[\w./-]+\.tsx?)`/g)];
    const missing = [...links, ...quoted.map(([, path = ""]) => path)].filter(
      (path) => !existsSync(join(REPOSITORY, path)) && !existsSync(join(REPOSITORY, "src", path)),
    );
    expect(missing).toEqual([]);
  },
);
