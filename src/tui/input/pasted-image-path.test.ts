import { expect, test } from "bun:test";
import { pastedImagePath } from "./pasted-image-path.ts";

test.each([
  { text: "/tmp/shot.png", path: "/tmp/shot.png" },
  { text: " /tmp/shot.JPEG\n", path: "/tmp/shot.JPEG" },
  { text: "./shot.webp", path: "./shot.webp" },
  { text: "'/tmp/my shot.png'", path: "/tmp/my shot.png" },
  { text: '"/tmp/my shot.png"', path: "/tmp/my shot.png" },
  { text: "/tmp/my\\ shot.png", path: "/tmp/my shot.png" },
  { text: "file:///tmp/my%20shot.gif", path: "/tmp/my shot.gif" },
  { text: "/tmp/one.png /tmp/two.png", path: undefined },
  { text: "see /tmp/shot.png", path: undefined },
  { text: "/tmp/shot.png\n/tmp/b.png", path: undefined },
  { text: "shot.png", path: undefined },
  { text: "/tmp/notes.md", path: undefined },
])("the pasted text $text is the image $path", ({ text, path }) => {
  expect(pastedImagePath(text)).toBe(path);
});
