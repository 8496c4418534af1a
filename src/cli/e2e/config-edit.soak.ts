import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PtyScreen } from "../../tui/fixtures/pty-screen.ts";
import { pressUntil, SLOW } from "./fixtures/chat-terminal.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const BEFORE = '{\n  // mine\n  "agent": "claude"\n}\n';
const WRONG = '{\n  // mine\n  "agent": 1\n}\n';
const RIGHT = '{\n  // mine\n  "agent": "opencode"\n}\n';

let sandbox: Sandbox;
let screen: PtyScreen | undefined;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  await writeFile(join(sandbox.atomicHome, "config.json"), BEFORE);
});
afterEach(async () => {
  screen?.close();
  await sandbox.remove();
});

/** Opens the settings in an editor that writes one text at each call, and notes what it found. */
async function edit(...texts: readonly string[]): Promise<PtyScreen> {
  for (const [index, text] of texts.entries()) await writeFile(join(sandbox.root, `text-${index}`), text);
  const editor = join(sandbox.root, "editor");
  const script = `#!/bin/sh
test -t 0 && test -t 1 || exit 9
count=$(cat "${sandbox.root}/count" 2>/dev/null || echo 0)
cp "$2" "${sandbox.root}/seen-$count"
cp "${sandbox.root}/text-$count" "$2" || exit 7
echo $((count + 1)) > "${sandbox.root}/count"
`;
  await writeFile(editor, script);
  await chmod(editor, 0o755);
  const env = { ...sandbox.env, EDITOR: `${editor} --wait`, CI: "" };
  screen = new PtyScreen(["atomic", "config", "edit"], { env, workingDirectory: sandbox.project, columns: 100 });
  return screen;
}

const settings = (): Promise<string> => readFile(join(sandbox.atomicHome, "config.json"), "utf8");
const seen = (index: number): Promise<string> => readFile(join(sandbox.root, `seen-${index}`), "utf8");

test("a valid change is kept, comments included", async () => {
  const terminal = await edit(RIGHT);
  expect(await terminal.exit(SLOW)).toBe(0);
  expect(terminal.scrollback()).toContain("has no mistakes.");
  expect([await seen(0), await settings()]).toEqual([BEFORE, RIGHT]);
}, 120_000);

test("an invalid change is named and offered again, as it was written", async () => {
  const terminal = await edit(WRONG, RIGHT);
  await terminal.until(/line 3: agent: 1 is not a string[\s\S]*Open the editor again\?/, SLOW);
  await pressUntil(terminal, "enter", /has no mistakes\./);
  expect(await terminal.exit(SLOW)).toBe(0);
  expect([await seen(1), await settings()]).toEqual([WRONG, RIGHT]);
}, 120_000);

test("who does not correct it now loses nothing, and the exit code says that the settings are invalid", async () => {
  const terminal = await edit(WRONG);
  await terminal.until(/Open the editor again\?/, SLOW);
  await pressUntil(terminal, "escape", /CONFIG_INVALID/);
  expect(await terminal.exit(SLOW)).toBe(2);
  expect(await settings()).toBe(WRONG);
}, 120_000);

test("an editor that fails changes nothing, and the error names it", async () => {
  const terminal = await edit();
  expect(await terminal.exit(SLOW)).toBe(1);
  expect(terminal.scrollback().replaceAll("\n", " ")).toContain("ended with exit code 7");
  expect(await settings()).toBe(BEFORE);
}, 120_000);
