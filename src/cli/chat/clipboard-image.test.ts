import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClipboardUnreadableError, readClipboardImage } from "./clipboard-image.ts";

let folder: string;

/** Programs by folder: each prints what its arguments select. */
const PROGRAMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  wayland: { "wl-paste": 'if [ "$1" = --list-types ]; then echo text/html; echo image/png; else printf "png:$3"; fi' },
  text: { "wl-paste": "echo text/plain", xclip: "echo TARGETS" },
  x11: { xclip: 'if [ "$4" = TARGETS ]; then echo image/jpeg; else printf "jpeg:$4"; fi' },
  broken: { "wl-paste": "exit 1", pngpaste: 'printf "mac:$1"' },
  mac: { pngpaste: "exit 1", osascript: "printf '«data PNGf616263»\\n'" },
  empty: { osascript: "echo text" },
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-clipboard-"));
  for (const [name, programs] of Object.entries(PROGRAMS)) {
    await mkdir(join(folder, name));
    for (const [program, script] of Object.entries(programs))
      await writeFile(join(folder, name, program), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each<{
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly image: string[] | undefined;
}>([
  { name: "wayland", env: { WAYLAND_DISPLAY: "w" }, image: ["image/png", "png:image/png"] },
  { name: "text", env: { WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, image: undefined },
  { name: "x11", env: { WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, image: ["image/jpeg", "jpeg:image/jpeg"] },
  { name: "broken", env: { WAYLAND_DISPLAY: "w" }, image: ["image/png", "mac:-"] },
  { name: "mac", env: {}, image: ["image/png", "abc"] },
  { name: "empty", env: {}, image: undefined },
])("with the programs of $name and $env, the image is $image", async ({ name, env, image }) => {
  const found = await readClipboardImage({ ...env, PATH: join(folder, name) });
  expect(found && [found.mediaType, Buffer.from(found.data, "base64").toString()]).toEqual(image);
});

test.each([
  { name: "x11", env: {} },
  { name: "wayland", env: { DISPLAY: ":0" } },
])(
  "without a program for the clipboard, with those of $name and $env, the error says what to install",
  async (each) => {
    const reading = readClipboardImage({ ...each.env, PATH: join(folder, each.name) });
    expect(await reading.catch((error: unknown) => error)).toEqual(new ClipboardUnreadableError());
  },
);
