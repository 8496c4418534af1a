import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ImageTooLargeError, readImageFile } from "./read-image-file.ts";

let workingDirectory: string;

const IMAGES = [
  ["shot.PNG", Buffer.from("\u0089PNG\r\n\u001a\n...", "latin1"), "image/png"],
  ["photo.jpg", Buffer.from("\u00ff\u00d8\u00ff...", "latin1"), "image/jpeg"],
  ["move.gif", Buffer.from("GIF89a..."), "image/gif"],
  ["new.webp", Buffer.from("RIFF1234WEBPVP8"), "image/webp"],
] as const;

beforeAll(async () => {
  workingDirectory = await mkdtemp(join(tmpdir(), "atomic-image-"));
  for (const [name, bytes] of IMAGES) await writeFile(join(workingDirectory, name), bytes);
  await writeFile(join(workingDirectory, "text.png"), "abc");
  await writeFile(join(workingDirectory, "note.txt"), "abc");
  await writeFile(join(workingDirectory, "large.png"), "");
  await truncate(join(workingDirectory, "large.png"), 30_000_000);
});
afterAll(() => rm(workingDirectory, { recursive: true, force: true }));

test.each([
  ...IMAGES.map(([path, bytes, mediaType]) => ({ path, image: { mediaType, data: bytes.toString("base64") } })),
  { path: "text.png", image: undefined },
  { path: "note.txt", image: undefined },
  { path: "missing.png", image: undefined },
])("the file $path is $image", async ({ path, image }) => {
  expect(await readImageFile(path, { workingDirectory })).toEqual(image);
  expect(await readImageFile(join(workingDirectory, path), { workingDirectory: "/" })).toEqual(image);
});

test("an image that no agent accepts is an error with its size", async () => {
  const path = join(workingDirectory, "large.png");
  const reading = readImageFile("large.png", { workingDirectory });
  expect(await reading.catch((error: unknown) => error)).toEqual(new ImageTooLargeError(path, 30_000_000));
});
