import { describe, expect, test } from "bun:test";
import { RISKY_PROGRAMS } from "../programs/find-program.ts";
import { evaluatePermission } from "../rules/evaluate-permission.ts";

const PROGRAMS = RISKY_PROGRAMS.filter(({ subcommands }) => subcommands !== undefined).flatMap((program) =>
  program.names.map((name) => ({ name, program })),
);

/** Options that programs have, or could have, whether with a value or without one. */
const OPTIONS = RISKY_PROGRAMS.flatMap(({ options = {}, valuedBefore = [], flagsBefore = [] }) => [
  ...Object.keys(options),
  ...valuedBefore,
  ...flagsBefore,
]).concat("--shallow-file", "--tag", "--cache", "--no-such", "-Z", "-zz", "--x=y", "--", "-", '"$X"', "$X", "-$X");

function effectOf(command: string, ...commands: readonly string[]): string {
  return evaluatePermission(
    { rules: [{ effect: "allow", commands }] },
    { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command },
    { workingDirectory: "/work" },
  ).effect;
}

test("four package managers and git have subcommands", () => {
  expect(PROGRAMS.map(({ name }) => name)).toEqual(["git", "npm", "yarn", "pnpm", "bun"]);
});

describe.each(PROGRAMS)("in front of a subcommand of $name", ({ name, program }) => {
  const { valuedBefore = [], flagsBefore = [] } = program;
  const known = new Set([...valuedBefore, ...flagsBefore]);
  const unknown = [...new Set(OPTIONS)].filter((option) => !known.has(option));

  test("an option that is not known requires approval, whatever follows", () => {
    const lines = unknown.flatMap((option) => [`${name} ${option} run test`, `${name} ${option} test`]);
    expect(unknown.length).toBeGreaterThan(400);
    expect(lines.filter((line) => effectOf(line, `${name} *`) !== "ask")).toEqual([]);
  });

  test("a rule allows an option that is not known only with all that follows", () => {
    const globs = [`${name} --no-such log *`, `${name} --no-such * *`, `${name} --no-such log status *`];
    expect(effectOf(`${name} --no-such log status x`, ...globs)).toBe("ask");
    expect(effectOf(`${name} --no-such log status x`, `${name} --no-such log status x`)).toBe("allow");
  });

  test("a value is not taken for the subcommand, nor the subcommand for a value", () => {
    const bad = name === "git" ? "config a.b c" : name === "bun" ? "run touch" : "config set a b";
    const plain = program.names.includes("git") ? ["--namespace"] : valuedBefore;
    const lines = [
      ...plain.map((option) => `${name} ${option} test ${bad}`),
      ...flagsBefore.flatMap((flag) => [`${name} ${flag} ${bad}`, `${name} ${flag} true ${flag} true ${bad}`]),
    ];
    expect(lines.filter((line) => effectOf(line, `${name} *`) !== "ask")).toEqual([]);
  });
});
