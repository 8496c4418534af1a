import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { prepareConfigHome } from "./opencode-config-home.ts";

const MANIFEST = '{"dependencies":{"@opencode-ai/plugin":"*"}}';
const LOCK = `{"lockfileVersion":3,"packages":{"":${MANIFEST}}}`;

const OWN = '{"dependencies":{"my-plugin":"1"}}';

test.each([
  { title: "gets both files", there: {}, expected: [MANIFEST, LOCK] },
  {
    title: "gets the file that an interrupted start has left out",
    there: { "package.json": MANIFEST },
    expected: [MANIFEST, LOCK],
  },
  { title: "with packages of the user's own stays as it is", there: { "package.json": OWN }, expected: [OWN, "none"] },
  {
    title: "with a lock file of the user's own keeps it",
    there: { "package.json": MANIFEST, "package-lock.json": "{}" },
    expected: [MANIFEST, "{}"],
  },
])("a folder for OpenCode's settings $title, also the second time", async ({ there, expected }) => {
  const configHome = await mkdtemp(path.join(tmpdir(), "atomic-config-home-"));
  const folder = path.join(configHome, "opencode");
  const read = (name: string) => readFile(path.join(folder, name), "utf8").catch(() => "none");
  try {
    await mkdir(folder);
    for (const [name, text] of Object.entries(there)) await writeFile(path.join(folder, name), text);
    await prepareConfigHome(configHome);
    await prepareConfigHome(configHome);
    expect<readonly string[]>([await read("package.json"), await read("package-lock.json")]).toEqual(expected);
  } finally {
    await rm(configHome, { recursive: true, force: true });
  }
});
