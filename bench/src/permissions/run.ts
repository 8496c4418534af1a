import { evaluatePermission, explainPermission } from "../../../src/clients/index.ts";
import { COSTLY_GLOBS, LONG_COMMAND_LINES } from "../../../src/clients/policy/commands/fixtures/long-command-lines.ts";
import type { PermissionPolicy } from "../../../src/contracts/index.ts";
import { alignColumns } from "../align-columns.ts";

const GOAL_MS = 50;
const REPETITIONS = 5;
const workingDirectory = "/work";

const PLAIN: PermissionPolicy = {
  rules: [
    { effect: "allow", tools: ["shell"], commands: ["npm *", "git *", "echo *"] },
    { effect: "deny", commands: ["rm *", "*sudo*"] },
  ],
};
const POLICIES: Readonly<Record<string, PermissionPolicy>> = {
  plain: PLAIN,
  costly: { rules: COSTLY_GLOBS.flatMap((glob) => [{ effect: "allow" as const, commands: [glob] }]) },
  forbidding: { rules: COSTLY_GLOBS.map((glob) => ({ effect: "deny" as const, commands: [`${glob}Q`] })) },
};

/**
 * Prints how long judging the worst command lines takes, in milliseconds. The exit code is 1 when one takes too long. What `atomic permissions why` does is the
 * last column, which does not count.
 */
function main(): void {
  const rows = LONG_COMMAND_LINES.map(({ title, line }) => ({
    title,
    times: Object.values(POLICIES).map((policy) => measure(policy, line)),
    explained: measure(PLAIN, line, { isExplained: true }),
  }));
  const header = ["a line of", ...Object.keys(POLICIES), "explained"];
  const cells = rows.map(({ title, times, explained }) => [
    title,
    ...[...times, explained].map((time) => time.toFixed(2)),
  ]);
  console.log(alignColumns([header, ...cells], 1));
  const worst = Math.max(...rows.flatMap(({ times }) => times));
  console.log(`\nThe slowest decision takes ${worst.toFixed(2)} ms; the goal is ${GOAL_MS} ms.`);
  if (worst > GOAL_MS) process.exitCode = 1;
}

/** The fastest of some repetitions, which other programs on the machine disturb least. */
function measure(policy: PermissionPolicy, command: string, { isExplained = false } = {}): number {
  const request = { id: "", sessionId: "", kind: "shell", toolName: "bash", title: "", paths: [], command } as const;
  const times = Array.from({ length: REPETITIONS }, () => {
    const startedAt = performance.now();
    if (isExplained) explainPermission(policy, request, { workingDirectory });
    else evaluatePermission(policy, request, { workingDirectory });
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

main();
