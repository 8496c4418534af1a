import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor, type PermissionEffect, type RunEvent } from "../../contracts/index.ts";
import {
  MemorySaver,
  type RunOptions,
  type RunResult,
  type ScriptRehearsal,
  type ScriptServices,
} from "../../graph/index.ts";
import { type AgentScript, createScriptedAgent, type ScriptedAgent } from "../../testkit/index.ts";
import { decisionOf } from "./write-nodes.ts";
import { formatWriteReport } from "./write-report.ts";
import type { WriteState } from "./write-state.ts";
import { createWriteWorkflow, type WriteConfig } from "./write-workflow.ts";

const META = 'export const meta = { name: "greet", description: "Greets two people" };';
const GOOD = `${META}
const names = await parallel([() => agent("Greet Ada"), () => agent("Greet Bob")]);
return names.join(" and ");
`;
const WIDE = `${META}
await parallel([1, 2, 3, 4].filter(Boolean).map((n) => () => agent("Greet " + n)));
`;

/** The services of scripts, with answers that a test says. */
class FakeScripts implements ScriptServices {
  readonly rehearsed: string[] = [];
  readonly kept: [string, string][] = [];
  rehearsal: (text: string) => ScriptRehearsal = () => ({ agentCount: 2 });
  effect: PermissionEffect = "ask";
  taken: Record<string, string> = {};

  async rehearse({ text }: { readonly text: string }): Promise<ScriptRehearsal> {
    this.rehearsed.push(text);
    return this.rehearsal(text);
  }

  effectOf(): PermissionEffect {
    return this.effect;
  }

  async findTaken(name: string): Promise<string | undefined> {
    return this.taken[name];
  }

  async keep(name: string, text: string): Promise<string> {
    this.kept.push([name, text]);
    return `.atomic/workflows/${name}.js`;
  }
}

let root = "";
let drafts: string[] = [];
let agent: ScriptedAgent;
let saver: MemorySaver;
let scripts: FakeScripts;
let events: RunEvent[];
let commands: string[];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-write-")));
  await mkdir(join(root, "session"));
  drafts = [];
  events = [];
  commands = [];
  const script: AgentScript = ({ outputSchema, prompt }) =>
    outputSchema === undefined ? `did ${prompt}` : { structured: { script: drafts.shift() ?? "" } };
  agent = createScriptedAgent({ script, workingDirectory: root });
  saver = new MemorySaver();
  scripts = new FakeScripts();
});
afterEach(async () => {
  await agent.stop();
  await rm(root, { recursive: true, force: true });
});

function options(): RunOptions {
  return {
    checkpointer: saver,
    services: {
      clients: () => agent,
      scripts,
      shell: async (command) => {
        commands.push(command);
        return { command, exitCode: 0, stdout: "fine", stderr: "", isTruncated: false, durationMs: 1 };
      },
      workingDirectory: root,
      sessionDirectory: join(root, "session"),
    },
    onEvent: (event) => events.push(event),
  };
}

type Result = RunResult<WriteState>;

function start(input: Partial<WriteState> = {}, config: WriteConfig = {}): Promise<Result> {
  return createWriteWorkflow(config).run({ prompt: "Greet Ada and Bob", ...input }, { ...options(), runId: "run1" });
}

/** Answers the open question as another process would. */
function answer(text: string, { requests }: Result, config: WriteConfig = {}): Promise<Result> {
  return createWriteWorkflow(config).resume("run1", { [requests[0]?.id ?? ""]: text }, options());
}

const logs = (): readonly string[] => events.flatMap((event) => (event.type === "log" ? [event.message] : []));
const promptsOfWriter = (): readonly string[] =>
  agent.turns.filter(({ outputSchema }) => outputSchema !== undefined).map(({ prompt }) => prompt);

test("a broken and a too wide draft are corrected, and a good one runs after approval and is kept", async () => {
  drafts = ["return 1;", WIDE, GOOD];
  scripts.rehearsal = (text) =>
    text.includes("1, 2, 3") ? { agentCount: 3, problem: "Too wide." } : { agentCount: 2 };
  const asked = await start({}, { maxAgents: 3 });
  expect(asked.status).toBe("suspended");
  expect(logs()).toEqual([
    'Draft 1: Its first statement is not the export "meta". Begin it with export const meta = { name: "…", description: "…" }.',
    "Draft 2: Too wide.",
  ]);
  expect(promptsOfWriter()[1]).toContain('- Its first statement is not the export "meta".');
  expect(promptsOfWriter()[2]).toContain("- Too wide.");
  expect(asked.requests[0]?.question).toBe(
    [
      "Run this script? greet: Greets two people",
      "",
      GOOD.trim(),
      "",
      "At most 2 agents:",
      "  line 2: Greet Ada",
      "  line 2: Greet Bob",
      "",
      "The agents have this run's permissions, and no more.",
      "Answer run, keep (without running it) or discard, or say what to change.",
    ].join("\n"),
  );
  expect(await readFile(join(root, "session/script.js"), "utf8")).toBe(GOOD);
  const ran = await answer("run", asked);
  expect(ran.requests[0]?.question).toBe('The script "greet" has run. Keep it among the project\'s workflows?');
  const done = await answer("keep", ran);
  expect(done.output).toEqual({
    name: "greet",
    decision: "run",
    result: "did Greet Ada and did Greet Bob",
    path: ".atomic/workflows/greet.js",
  });
  expect(scripts.kept).toEqual([["greet", GOOD]]);
});

test("what a person wants changed is passed on, and the new script is checked and shown", async () => {
  drafts = [GOOD, "nonsense", GOOD.replaceAll("Bob", "Eve")];
  const second = await answer("Greet Eve instead of Bob.", await start());
  expect(second.requests[0]?.question).toContain("Greet Eve");
  expect(promptsOfWriter()[1]).toContain("<feedback>\nGreet Eve instead of Bob.\n</feedback>");
  expect(promptsOfWriter()[2]).toContain("The script below cannot run.");
  const done = await answer("discard", second);
  expect([done.status, done.output]).toEqual([
    "completed",
    { name: "greet", decision: "discard", result: null, path: null },
  ]);
  expect(agent.turns.length).toBe(3);
});

test("a script is kept without running", async () => {
  drafts = [GOOD];
  const { output } = await answer("keep", await start());
  expect(output).toEqual({ name: "greet", decision: "keep", result: null, path: ".atomic/workflows/greet.js" });
  expect(agent.turns.length).toBe(1);
});

test("with keep, there is no second question", async () => {
  drafts = [GOOD];
  const done = await answer("yes", await start({ keep: true }));
  expect([done.status, scripts.kept.length]).toEqual(["completed", 1]);
});

test("a script with what the run would redact does not pass, and what it throws is cut and quoted", async () => {
  drafts = [`${META}\nawait agent("Use ghp_0123456789abcdefghijABCDEFGHIJ012345");`, WIDE, GOOD];
  scripts.rehearsal = (text) =>
    text.includes("1, 2, 3")
      ? { agentCount: 4, problem: `\u001b[2J</script>\n${"long ".repeat(500)}` }
      : { agentCount: 2 };
  const { status } = await createWriteWorkflow().run(
    { prompt: "Greet" },
    { ...options(), runId: "run1", services: { ...options().services, redactor: createRedactor({ secrets: [] }) } },
  );
  expect(status).toBe("suspended");
  expect(promptsOfWriter()[1]).toContain("- It had a text that looks like a secret");
  const [, quoted = ""] = /<problems-\w+>\n([\s\S]*?)\n<\/problems-/.exec(promptsOfWriter()[2] ?? "") ?? [];
  expect([quoted.startsWith("- [2J</script> long long"), quoted.length]).toEqual([true, 502]);
});

test("an unknown definition of an agent is a problem", async () => {
  drafts = [`${META}\nawait agent("Look", { agentType: "nobody" });`];
  const agents = { find: () => undefined, names: () => [] };
  const { errorInfo } = await createWriteWorkflow({ maxDrafts: 1 }).run(
    { prompt: "Greet" },
    { ...options(), runId: "run1", services: { ...options().services, agents } },
  );
  expect(errorInfo?.message).toContain('Line 2: There is no agent definition "nobody". Leave out agentType.');
});

test("after the last draft the run fails with what is wrong", async () => {
  drafts = [WIDE, WIDE];
  scripts.rehearsal = () => ({ agentCount: 9, problem: "Too wide." });
  const { status, errorInfo } = await start({}, { maxDrafts: 2 });
  expect([status, errorInfo?.message]).toEqual([
    "failed",
    "None of 2 drafts can run. The last one: Too wide. Say more exactly what is wanted, use another model, or write the script yourself.",
  ]);
});

test("a resume after the last draft has the agent write again", async () => {
  drafts = [WIDE, WIDE, GOOD];
  scripts.rehearsal = (text) =>
    text.includes("1, 2, 3") ? { agentCount: 4, problem: "Too wide." } : { agentCount: 2 };
  await start({}, { maxDrafts: 2 });
  const asked = await createWriteWorkflow({ maxDrafts: 2 }).resume("run1", {}, options());
  expect([asked.status, asked.requests.length, drafts.length]).toEqual(["suspended", 1, 0]);
});

test.each([
  {
    title: "more agents in its text than allowed",
    draft: GOOD,
    problem: "It calls 2 agents, and at most 1 are allowed.",
  },
  { title: "no agents", draft: `${META}\nreturn 1;`, problem: "It calls no agent." },
  { title: "a name that is taken", draft: GOOD, taken: true, problem: 'The name "greet" is taken: it is here.' },
  {
    title: "another name than wanted",
    draft: GOOD,
    name: "hail",
    problem: 'The name in "meta" is "greet". Write "hail".',
  },
  {
    title: "a command that the policy denies",
    draft: `${GOOD.replace("return", 'await shell("rm x");\nreturn')}`,
    effect: "deny",
    maxAgents: 5,
    problem: 'The run\'s policy denies the command "rm x". Do without it.',
  },
])("a script with $title does not pass", async ({ draft, problem, taken, name = "", effect = "ask", maxAgents }) => {
  drafts = [draft];
  scripts.taken = taken ? { greet: "it is here" } : {};
  // The cast is true: these are effects.
  scripts.effect = effect as PermissionEffect;
  const wanted = maxAgents ?? (problem.startsWith("It calls 2") ? 1 : 20);
  const { errorInfo } = await start({ name }, { maxDrafts: 1, maxAgents: wanted });
  expect(errorInfo?.message).toStartWith(`None of 1 drafts can run. The last one: ${problem}`);
});

test("only commands that the person has seen run, whatever the policy allows", async () => {
  drafts = [`${META}\nawait agent("Build");\nreturn (await shell("npm test")).stdout;\n`];
  const asked = await start();
  expect(asked.requests[0]?.question).toContain("\nCommand: npm test (your approval allows it)\n");
  const done = await answer("run", asked);
  expect([done.state.result, commands]).toEqual(["fine", ["npm test"]]);
});

test("a command that this process's policy denies does not run, though the person has seen it", async () => {
  drafts = [`${META}\nawait agent("Build");\nreturn (await shell("npm test")).stdout;\n`];
  const asked = await start();
  scripts.effect = "deny";
  const done = await answer("run", asked);
  expect([done.status, commands]).toEqual(["failed", []]);
  expect(done.errorInfo?.message).toStartWith('The run\'s policy denies the command "npm test"');
});

test("the run's own limit for scripts counts, where it is lower", async () => {
  drafts = [GOOD, `${META}\nconst n = await agent("One");\nreturn n;\n`];
  const services = { ...options().services, scriptLimits: { maxAgents: 1 } };
  const asked = await createWriteWorkflow().run({ prompt: "Greet" }, { ...options(), runId: "run1", services });
  expect(logs()).toEqual([
    "Draft 1: It calls 2 agents, and at most 1 are allowed. Give each agent more to do, or fewer of them.",
  ]);
  expect(promptsOfWriter()[0]).toContain("It must call at most 1 agents, whatever they answer.");
  expect(asked.requests[0]?.question).toContain("\nAt most 1 agent:\n");
});

test("a name that is taken ends the run before an agent writes", async () => {
  scripts.taken = { greet: "it is here" };
  const { errorInfo } = await start({ name: "greet" });
  expect([errorInfo?.message, agent.turns.length]).toEqual([
    'The name "greet" is taken: it is here. Choose another name.',
    0,
  ]);
});

test("a script that calls more agents than allowed fails, as its rehearsal could not know", async () => {
  drafts = [`${META}\nlet n = 0;\nwhile (n < 9) { n++; await agent("Go " + n); }\n`];
  const done = await answer("run", await start({}, { maxAgents: 3 }), { maxAgents: 3 });
  expect([done.status, done.errorInfo?.code]).toEqual(["failed", "SCRIPT_FAILED"]);
  expect(done.errorInfo?.message).toStartWith("The script called more than 3 agents, which is its limit.");
});

test.each([
  ["Run.", "run"],
  ["yes", "run"],
  ["keep", "keep"],
  ["No!", "discard"],
  ["cancel", "discard"],
  ["run it twice", "changes"],
])("%p means %s", (text, decision) => {
  expect(decisionOf(text)).toBe(decision as ReturnType<typeof decisionOf>);
});

test("the result for people is what the script returned, and where it is", () => {
  const report = { name: "greet", decision: "run", result: { a: 1 }, path: ".atomic/workflows/greet.js" } as const;
  expect(formatWriteReport(report)).toBe(
    '{\n  "a": 1\n}\n\nKept as .atomic/workflows/greet.js. Run it: atomic run greet (a project that you have not trusted needs --trust)',
  );
  expect(formatWriteReport({ ...report, decision: "discard", result: null, path: null })).toBe(
    'The script "greet" was not kept.',
  );
});
