import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { assertSdk } from "../../clients/index.ts";
import { vendorDirectoryOf } from "../install/install-agent.ts";
import { chooseDemoAgent } from "./choose-demo-agent.ts";
import { createDemoFolders } from "./demo-folders.ts";

let atomicHome: string;
const demos: string[] = [];

beforeEach(async () => {
  atomicHome = await mkdtemp(join(tmpdir(), "atomic-home-"));
});
afterEach(async () => {
  for (const folder of [atomicHome, ...demos.splice(0)]) await rm(folder, { recursive: true, force: true });
});

/** Leaves out the packages of this checkout, as in an Atomic that is installed. */
const places = () => ({ atomicHome, env: { PATH: "" }, resolveFrom: join(atomicHome, "index.js") });

async function writePackage(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(vendorDirectoryOf(atomicHome, "opencode"), "node_modules", name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function installOpenCode(): Promise<void> {
  const folder = await writePackage(`opencode-${platform()}-${arch()}`, { "package.json": "{}", "bin/opencode": "" });
  await chmod(join(folder, "bin/opencode"), 0o755);
  const exports = { "./v2/client": "./client.js" };
  await writePackage("@opencode-ai/sdk", { "package.json": JSON.stringify({ exports }), "client.js": "" });
}

test.each([{ wanted: undefined }, { wanted: "opencode" }])(
  "the OpenCode of atomic install plays the demo, with --agent $wanted",
  async ({ wanted }) => {
    await installOpenCode();
    expect(await chooseDemoAgent({ ...places(), wanted })).toBe("opencode");
    // The demo's own Atomic folder finds the same program and SDK.
    const folders = await createDemoFolders(atomicHome);
    demos.push(folders.root);
    const inDemo = { ...places(), atomicHome: folders.atomicHome };
    expect(await chooseDemoAgent({ ...inDemo, wanted: "opencode" })).toBe("opencode");
    const vendorDirectory = vendorDirectoryOf(folders.atomicHome, "opencode");
    assertSdk("opencode", { agentType: "opencode", vendorDirectory, resolveFrom: inDemo.resolveFrom });
  },
);

test("without OpenCode the scripted agent plays the demo, unless OpenCode was chosen", async () => {
  const folders = await createDemoFolders(atomicHome);
  demos.push(folders.root);
  const inDemo = { ...places(), atomicHome: folders.atomicHome };
  expect(await chooseDemoAgent(inDemo)).toBe("scripted");
  await expect(chooseDemoAgent({ ...inDemo, wanted: "opencode" })).rejects.toThrow(
    'The agent "opencode" cannot start: its program was not found. Run "atomic install opencode".',
  );
});
