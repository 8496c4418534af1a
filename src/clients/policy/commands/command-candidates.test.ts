import { expect, test } from "bun:test";
import { WRAPPER_PROGRAMS } from "../programs/wrapper-programs.ts";
import { evaluatePermission } from "../rules/evaluate-permission.ts";
import { RESERVED_WORDS } from "../shell/simple-command.ts";

function effectOf(command: string): string {
  return evaluatePermission(
    { rules: [{ effect: "allow" }, { effect: "deny", commands: ["rm *"] }] },
    { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command },
    { workingDirectory: "/work" },
  ).effect;
}

const WRAPPED = WRAPPER_PROGRAMS.flatMap(({ names, wrapper }) =>
  names.flatMap((name) => {
    const operands = Array.from({ length: wrapper?.operands ?? 0 }, () => "x ").join("");
    const [option = "-a"] = wrapper?.valued ?? [];
    return [`${name} ${operands}rm x`, `/usr/bin/${name} ${operands}rm x`, `${name} ${option} y ${operands}rm x`];
  }),
);

test("a denied command is denied after every program that runs it", () => {
  expect(WRAPPED.length).toBeGreaterThan(250);
  expect(WRAPPED.filter((line) => effectOf(line) !== "deny")).toEqual([]);
});

test("a denied command is denied after every reserved word", () => {
  expect([...RESERVED_WORDS].filter((word) => effectOf(`${word} rm x`) !== "deny")).toEqual([]);
});

test.each([
  "and rm x",
  "not rm x",
  "noglob rm x",
  "- rm x",
  "repeat 3 rm x",
  "{fd}>y rm x",
  "stdbuf -oL rm x",
  "ionice -c 3 rm x",
  "watch -n1 rm x",
  "flock x rm x",
  "strace -f rm x",
  "busybox rm x",
  "parallel rm ::: x",
  "npx rm x",
  "chroot . rm x",
  "sudo -u root nice -n 5 rm x",
  "begin; not time rm x; end",
])("is denied: %s", (line) => {
  expect(effectOf(line)).toBe("deny");
});

test.each(["echo rm x", "npm run rm x", "git commit -m rm"])("is not denied: %s", (line) => {
  expect(effectOf(line)).toBe("allow");
});
