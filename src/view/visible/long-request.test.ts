import { expect, test } from "bun:test";
import type { PermissionDetails, PermissionRequest } from "../../contracts/index.ts";
import { formatPermissionRequest } from "./format-permission-request.ts";
import { MAX_REQUEST_LENGTH, toReadable } from "./long-request.ts";

const SHELL: PermissionRequest = {
  ...{ id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "bash", paths: [] },
};
const LONG = "x".repeat(MAX_REQUEST_LENGTH);

test("a call of the most length is shown whole", () => {
  const request = { ...SHELL, command: LONG.slice(4) };
  expect(toReadable(request)).toEqual({ request, tooLong: undefined });
});

test.each<{ title: string; details: PermissionDetails }>([
  { title: "edit", details: { type: "edit", changes: [{ path: "a", oldText: "", newText: LONG }] } },
  { title: "write", details: { type: "write", path: "a", text: LONG } },
  { title: "patch", details: { type: "patch", text: LONG } },
  { title: "fetch", details: { type: "fetch", address: LONG } },
  { title: "input", details: { type: "input", input: { text: LONG } } },
])("a longer call of type $title is cut, and can only be denied", ({ details }) => {
  const { request, tooLong } = toReadable({ ...SHELL, details });
  expect(tooLong).toMatch(
    /^This call has 100,0\d\d characters, too many to read here: the most is 100,000\. It can only be/,
  );
  expect(JSON.stringify(request).length).toBeLessThan(5_000);
  expect(request.isOnce).toBe(true);
});

test("the start of a command whose title is cut is shown once", () => {
  const command = `echo ${"a".repeat(70_000)}; rm -rf x`;
  const title = `bash: ${command.slice(0, 65_530)}… 4,482 more characters`;
  for (const each of [title, `bash: ${command.slice(0, 65_530)}… 4482 more characters (needs approval)`]) {
    const rows = formatPermissionRequest({ ...SHELL, title: each, command }, 200);
    expect(rows.filter((row) => row.includes("echo a"))).toHaveLength(1);
  }
});
