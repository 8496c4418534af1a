import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { desktopArguments, showOnDesktop } from "./desktop-sink.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-desktop-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that writes its arguments, one a line, and ends with this code. */
async function install(exitCode: number): Promise<void> {
  const program = join(folder, "notify-send");
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\nexit ${exitCode}\n`);
  await chmod(program, 0o755);
}

test("notify-send receives the text as one argument, without markup, options and control characters", async () => {
  await install(0);
  const environment = { env: { PATH: folder } };
  expect(await showOnDesktop(environment, "linux", '-x <b>"$(id)"</b>\n& \u001b[31mred')).toEqual({
    type: "delivered",
  });
  expect(await readFile(join(folder, "arguments"), "utf8")).toBe(
    '--app-name=Atomic\n--\nAtomic\n-x &lt;b&gt;"$(id)"&lt;/b&gt; &amp; red\n',
  );
});

test("on macOS the text is an argument of the script, not a part of it", () => {
  expect(desktopArguments("darwin", '" & do shell script "id')).toEqual([
    "-e",
    "on run argv",
    "-e",
    'display notification (item 1 of argv) with title "Atomic"',
    "-e",
    "end run",
    "--",
    '" & do shell script "id',
  ]);
});

test("a missing program and one that fails are reported; a relative folder of the PATH is no place for one", async () => {
  expect(await showOnDesktop({ env: { PATH: folder } }, "linux", "text")).toEqual({
    type: "missing",
    reason: "notify-send is not installed",
  });
  expect(await showOnDesktop({ env: { PATH: "." } }, "darwin", "text")).toEqual({
    type: "missing",
    reason: "osascript is not installed",
  });
  await install(1);
  expect((await showOnDesktop({ env: { PATH: folder } }, "linux", "text")).type).toBe("failed");
});
