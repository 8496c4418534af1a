import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInBrowser } from "./open-in-browser.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-open-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that writes its arguments, one a line, and ends with this code. */
async function install(name: string, exitCode: number): Promise<void> {
  const program = join(folder, name);
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/arguments'\nexit ${exitCode}\n`);
  await chmod(program, 0o755);
}

test.each([
  { platform: "linux", program: "xdg-open", env: { DISPLAY: ":0" } },
  { platform: "linux", program: "xdg-open", env: { WAYLAND_DISPLAY: "wayland-0" } },
  { platform: "darwin", program: "open", env: {} },
])("$program opens a file on $platform", async ({ platform, program, env }) => {
  await install(program, 0);
  const path = "/tmp/a b/$(id).html";
  expect(await openInBrowser({ env: { PATH: folder, ...env } }, { platform, path })).toBeUndefined();
  expect(await readFile(join(folder, "arguments"), "utf8")).toBe(`${path}\n`);
});

test.each([
  { title: "in CI", platform: "linux", env: { DISPLAY: ":0", CI: "true" }, reason: "the variable CI is set" },
  { title: "without a display", platform: "linux", env: { DISPLAY: "" }, reason: "there is no display" },
  { title: "over SSH to a Mac", platform: "darwin", env: { SSH_CONNECTION: "x" }, reason: "this is an SSH session" },
])("nothing is opened $title", async ({ platform, env, reason }) => {
  await install("xdg-open", 0);
  await install("open", 0);
  expect(await openInBrowser({ env: { PATH: folder, ...env } }, { platform, path: "/tmp/x.html" })).toBe(reason);
  expect(await Bun.file(join(folder, "arguments")).exists()).toBe(false);
});

test("a program that is missing, or fails, is a reason; a relative folder of the PATH is no place for one", async () => {
  const open = (PATH: string) =>
    openInBrowser({ env: { PATH, DISPLAY: ":0" } }, { platform: "linux", path: "/tmp/x.html" });
  expect(await open(folder)).toBe("xdg-open is not installed");
  expect(await open(".")).toBe("xdg-open is not installed");
  await install("xdg-open", 3);
  expect(await open(folder)).toBe("xdg-open failed");
});
