import { afterEach, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { finding, ReviewProject } from "./fixtures/review-project.ts";

let project: ReviewProject;

afterEach(() => project.sandbox.remove());

const AGENTS = ["--agents", "alpha,beta", "--reviewers", "bugs,security"];

test("of 20 findings of two vendors, 10 of them false, exactly 10 survive, each labelled by vendor; exit 1 and 0", async () => {
  const half = (from: number, category: string) =>
    Array.from({ length: 10 }, (_, index) => finding(from + index, { category, severity: "high" }));
  const refuted = Array.from({ length: 10 }, (_, index) => 2 * index + 1);
  project = await ReviewProject.create({
    findings: { bugs: half(1, "bugs"), security: half(11, "security") },
    refuted,
  });
  const { sandbox } = project;
  const failed = await sandbox.atomic("review", ...AGENTS);
  expect(failed.exitCode).toBe(1);
  const survivors = failed.stdout.split("\n\n").slice(0, 10);
  expect(survivors).toEqual(
    [2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((line) => {
      const [category, agent, other] = line < 11 ? ["bugs", "alpha", "beta"] : ["security", "beta", "alpha"];
      return [
        `high  app.ts:${line}  ${category}: Problem ${line}`,
        `  Line ${line} is wrong.`,
        `  Found by ${category} (${agent}). Confirmed by ${other}: Line ${line} says so.`,
      ].join("\n");
    }),
  );
  expect(failed.stdout).toEndWith(
    "1 file reviewed (uncommitted changes): 10 confirmed, 10 refuted. Failed: a finding is high or worse.\n",
  );
  const passed = await sandbox.atomic("review", ...AGENTS, "--severity", "critical", "--format", "sarif");
  expect({ exitCode: passed.exitCode, results: JSON.parse(passed.stdout).runs[0].results.length }).toEqual({
    exitCode: 0,
    results: 10,
  });
});

test("a review that was killed with SIGKILL resumes without repeating finished reviewers and checks", async () => {
  project = await ReviewProject.create({
    findings: { bugs: [finding(1), finding(3)], security: [finding(5, { category: "security", severity: "high" })] },
    silent: ["verify 3"],
  });
  const { sandbox } = project;
  const first = sandbox.start(["review", ...AGENTS, "--json"]);
  const checked = new Set<string>();
  const { runId } = await first.waitFor((event) => {
    if (event.type === "node-end" && event.nodeId.startsWith("verify-")) checked.add(event.taskId);
    return checked.size === 2;
  });
  first.kill("SIGKILL");
  await first.ended;
  const before = ["alpha bugs", "alpha verify 5", "beta security", "beta verify 1", "beta verify 3"];
  expect(await project.tasks()).toEqual(before);

  await project.setScript({ findings: {} });
  const output = join(sandbox.root, "review.md");
  const resumed = await sandbox.atomic("review", "--resume", runId, "--format", "markdown", "--output", output);
  expect({ exitCode: resumed.exitCode, stdout: resumed.stdout }).toEqual({ exitCode: 1, stdout: "" });
  // The check that was interrupted continues in its session.
  const after = (await project.tasks()).filter((task) => !before.includes(task) || task === "beta verify 3");
  expect(after.length).toBeLessThanOrEqual(2);
  const text = await readFile(output, "utf8");
  expect(text.match(/^### .*$/gm)).toEqual(["### high: Problem 5", "### medium: Problem 1", "### medium: Problem 3"]);
});

test("atomic run review, a workflow that nests it, and --fix work from the same state", async () => {
  project = await ReviewProject.create({ findings: { bugs: [finding(1)] } });
  const { sandbox } = project;
  const ran = await sandbox.atomic(
    "run",
    "review",
    "--agent",
    "alpha",
    "--config",
    'reviewers=["bugs@beta"]',
    "--json",
  );
  const end = ran.events.at(-1);
  expect({ exitCode: ran.exitCode, output: end?.type === "run-end" ? end.output : undefined }).toMatchObject({
    exitCode: 0,
    output: { isPassed: true, findings: [{ file: "app.ts", reports: [{ agent: "beta" }] }] },
  });
  await sandbox.write({
    ".atomic/workflows/gate.ts": `import { annotation, defineState, graph, subgraphNode } from "@bastani/atomic/graph";
const State = defineState({ count: annotation(0) });
export default () =>
  graph(State)
    .start(subgraphNode({
      id: "review",
      subgraph: "review",
      config: { reviewers: ["bugs"] },
      inputMapper: () => ({}),
      outputMapper: (end: { findings: unknown[] }) => ({ count: end.findings.length }),
    }))
    .end()
    .compile({ output: (state) => state.count });
`,
  });
  await project.setScript({ findings: { bugs: [finding(1, { severity: "high" })] } });
  const failed = await sandbox.atomic("run", "review", "--agent", "alpha", "--config", 'reviewers=["bugs"]');
  expect({ exitCode: failed.exitCode, last: failed.stdout.trim().split("\n").at(-1) }).toEqual({
    exitCode: 1,
    last: "2 files reviewed (uncommitted changes): 1 confirmed. Failed: a finding is high or worse.",
  });
  const nested = await sandbox.atomic("run", "gate", "--agent", "alpha", "--trust");
  expect(nested.stdout).toEndWith("\n1\n");
  const fixed = await sandbox.atomic("review", "--agent", "alpha", "--reviewers", "bugs", "--fix");
  expect({ exitCode: fixed.exitCode, last: fixed.stdout.trim().split("\n").at(-1) }).toEqual({
    exitCode: 1,
    last: "alpha was given 1 finding to correct. Review again to check the result. It says: 1. corrected",
  });
});
