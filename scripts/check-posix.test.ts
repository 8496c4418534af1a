import { expect, test } from "bun:test";
import { checkPosix } from "./check-posix.ts";

const TEXT = `
// process.kill(-1) and "/dev/tty" in a comment
spawn("sh", ["-c", line]);
process.kill(-pid, "SIGTERM");
await chmod(file, 0o755);
`;

test("what only POSIX systems have is a problem outside of the listed places", () => {
  const remedy = "works on POSIX systems only. Move it into src/system, or add it to scripts/posix-places.json.";
  expect(checkPosix("src/cli/a.ts", TEXT, ["mode"])).toEqual([
    `src/cli/a.ts:3 posix: "shell" ${remedy}`,
    `src/cli/a.ts:4 posix: "group-signal" ${remedy}`,
  ]);
});

test("an entry of the list that nothing needs is a problem", () => {
  expect(checkPosix("src/cli/a.ts", "export const a = 1;\n", ["tty"])).toEqual([
    'src/cli/a.ts posix: the file no longer uses "tty". Remove it from scripts/posix-places.json.',
  ]);
});
