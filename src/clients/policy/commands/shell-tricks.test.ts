import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { evaluatePermission } from "../rules/evaluate-permission.ts";
import {
  HONEST_COMMANDS,
  HONEST_RULES,
  PLAIN_OPTION_COMMANDS,
  REDIRECTED_COMMANDS,
} from "./fixtures/honest-commands.ts";
import { MARKER, SHELL_TRICKS } from "./fixtures/shell-tricks.ts";

/** So many of the honest commands may require approval that did not at 920b188. */
const MAX_REGRESSIONS = 10;

function effectOf(command: string, commands: readonly string[]): string {
  return evaluatePermission(
    { rules: [{ effect: "allow", tools: ["shell"], commands }] },
    { id: "1", sessionId: "s", kind: "shell", toolName: "bash", title: "", paths: [], command },
    { workingDirectory: "/work" },
  ).effect;
}

describe("tricks", () => {
  test.each(SHELL_TRICKS.map(({ line, allow }) => [line.slice(0, 150), line, allow] as const))(
    "requires approval: %j",
    (_, line, allow) => {
      const withPath = (text: string) => text.replaceAll(MARKER, "/tmp/marker");
      expect(effectOf(withPath(line), allow.map(withPath))).toBe("ask");
    },
  );

  test("most of them were seen to work in a real shell", () => {
    const real = SHELL_TRICKS.filter(({ shells }) => shells.length > 0);
    expect(SHELL_TRICKS.length).toBeGreaterThan(600);
    expect(real.length).toBeGreaterThan(SHELL_TRICKS.length * 0.55);
  });

  test.each(SHELL_TRICKS.slice(0, 5).map(({ line }) => line))("the identical text and * still allow %j", (line) => {
    expect([effectOf(line, [line]), effectOf(line, ["*"])]).toEqual(["allow", "allow"]);
  });
});

describe("honest commands", () => {
  test("hardly one of them requires approval that did not before", () => {
    const regressions = HONEST_COMMANDS.filter(
      ({ line, at920b188 }) => at920b188 === "allow" && effectOf(line, HONEST_RULES) !== "allow",
    ).map(({ line }) => line);
    expect(HONEST_COMMANDS).toHaveLength(200);
    expect(regressions.length).toBeLessThanOrEqual(MAX_REGRESSIONS);
    expect(regressions).toEqual([
      "npm exec tsc -- --noEmit",
      'git config user.name "Ann"',
      'rg -n --hidden "secret" -g "!node_modules"',
      'find . -name "*.tmp" -delete',
      'cd "$HOME/work" && git status',
    ]);
  });
});

test.each(REDIRECTED_COMMANDS)("is allowed: %s", (line) => {
  expect(effectOf(line, HONEST_RULES)).toBe("allow");
});

test.each(PLAIN_OPTION_COMMANDS)("is allowed: %s", (line) => {
  const words = line.split(" ");
  expect(effectOf(line, [`${words.slice(0, words[0] === "npx" ? 2 : 1).join(" ")} *`])).toBe("allow");
});

test("a trick is not allowed in any context", () => {
  const harmless = fc.constantFrom("echo a", "echo 'b c'", "echo \\;", 'echo "d;e"', "echo");
  const joints = fc.constantFrom(
    " 2>&1;",
    " >/dev/null || ",
    " 2>/dev/null | ",
    ";",
    " && ",
    " || ",
    " | ",
    "\n",
    " & ",
  );
  const tricks = fc.constantFrom(...SHELL_TRICKS.filter(({ line }) => line.length < 200));
  fc.assert(
    fc.property(harmless, joints, tricks, joints, harmless, (before, first, { line, allow }, second, after) => {
      expect(effectOf(`${before}${first}${line}${second}${after}`, [...allow, "echo *", "echo"])).toBe("ask");
    }),
    { numRuns: 2_000 },
  );
});
