import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TestEnvironment } from "../fixtures/test-environment.ts";

const ACP_AGENT = join(import.meta.dirname, "../fixtures/acp-agent.ts");

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.trustProject();
  const agents = { echo: { command: process.execPath, args: [ACP_AGENT, "--echo"], ungated: true } };
  await environment.write({ "home/.atomic/config.json": JSON.stringify({ agent: "echo", agents }) });
});
afterEach(() => environment.remove());

const WARNING =
  'The agent "echo" decides about its tool calls itself (agents.echo.ungated); Atomic\'s policy applies only to what it asks.\n';

/** What a call printed, without the folders of this test and the warning about this agent. */
async function call(...args: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const { exitCode, stdout, stderr } = await environment.atomic(...args);
  return {
    exitCode,
    stdout: environment.normalise(stdout),
    stderr: environment.normalise(stderr).replace(WARNING, ""),
  };
}

/** What the agent received. */
async function received(...args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await call(...args);
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

const message = (text: string) => ({ systemPrompt: "", model: "a", message: text });

test("an agent receives its prompt as the system prompt, and its model in the agent's own spelling", async () => {
  await environment.write({
    "project/.atomic/agents/check.md": "---\nname: Code check\nmodel: b\n---\nCheck the code.\n",
    "project/.opencode/agents/plan.md": "---\nmodel: anthropic/claude-opus-4-5\n---\nPlan the work.",
  });
  expect(await received("agents", "run", "check", "Look here")).toEqual({
    systemPrompt: "Check the code.",
    model: "b",
    message: "Look here",
  });
  // The model of another vendor's agent is not this agent's.
  expect(await received("agents", "run", "plan", "Look here")).toEqual({
    systemPrompt: "Plan the work.",
    model: "a",
    message: "Look here",
  });
  expect(await received("agents", "run", "debugger", "Look there")).toEqual({
    systemPrompt: expect.stringMatching(/^You find the cause of a defect and fix it\.\n/),
    model: "a",
    message: "Look there",
  });
});

test("an agent without a message is a usage error that names the call", async () => {
  await environment.write({ "project/.claude/agents/check.md": "---\nname: Code check\n---\nCheck." });
  expect(await call("agents", "run", "check", " ")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: The agent "Code check" needs a message: atomic agents run 'Code check' "…"\n       (USAGE)\n`,
  });
});

test("a command without text is a usage error, unless its arguments are the text", async () => {
  await environment.write({ "project/.claude/commands/empty.md": "---\ndescription: Nothing\n---\n" });
  expect(await call("commands", "run", "empty")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      'error: The command "empty" has no text to send.\n       Write it after the frontmatter: <root>/project/.claude/commands/empty.md\n       (USAGE)\n',
  });
});

test.each([
  { title: "without arguments", args: [], expected: "Review:\n\na diff" },
  { title: "with arguments", args: ["this"], expected: "Review:\n\nthis\n\na diff" },
])("piped input reaches a command and a skill $title", async ({ args, expected }) => {
  await environment.write({
    "project/.opencode/commands/review.md": "Review:",
    "project/.opencode/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews.\n---\nReview:",
  });
  for (const [type, start] of [
    ["commands", ""],
    ["skills", "The files of this skill are in: <root>/project/.opencode/skills/review\n\n"],
  ] as const) {
    const call = environment.start([type, "run", "review", ...args], { hasPipedInput: true });
    call.stdin.end("a diff\n");
    const { exitCode, stdout } = await call.ended;
    expect({ exitCode, ...JSON.parse(environment.normalise(stdout)) }).toEqual({
      exitCode: 0,
      ...message(`${start}${expected}`),
    });
  }
});

test("a command receives its arguments in the places that its vendor provides", async () => {
  await environment.write({
    "project/.claude/commands/git/tag.md": "Tag $1 as $2: $ARGUMENTS",
    "project/.opencode/commands/tag.md": "Tag $1, then $2",
    "project/.github/prompts/ask.prompt.md": "Ask ${input:what:a question}",
  });
  expect(await received("commands", "run", "git:tag", "a", "b", "c")).toEqual(message("Tag a as b: a b c"));
  expect(await received("commands", "run", "git:tag", "a b", "it's")).toEqual(message(`Tag a b as it's: 'a b' "it's"`));
  expect(await received("commands", "run", "git:tag", "fix it")).toEqual(message("Tag fix as it: fix it"));
  expect(await received("commands", "run", "/tag", "a", "b", "c")).toEqual(message("Tag a, then b c"));
  expect(await received("commands", "run", "ask", "why")).toEqual(message("Ask why"));
});

test("a command with an agent has its system prompt; an agent that only its vendor has is none here", async () => {
  await environment.write({
    "project/.opencode/agents/check.md": "Check the code.",
    "project/.opencode/commands/go.md": "---\nagent: check\n---\nGo.",
    "project/.opencode/commands/build.md": "---\nagent: build\n---\nBuild.",
    "project/.github/chatmodes/beast.chatmode.md": "---\ntools: ['search']\n---\nBe a beast.",
    "project/.github/prompts/roar.prompt.md": "---\nmode: beast\n---\nRoar.",
  });
  expect(await received("commands", "run", "roar")).toEqual({ ...message("Roar."), systemPrompt: "Be a beast." });
  expect(await received("commands", "run", "go")).toEqual({ ...message("Go."), systemPrompt: "Check the code." });
  expect(await received("commands", "run", "build")).toEqual(message("Build."));
});

test("a skill names its folder, and files in the working directory are part of the message", async () => {
  await environment.write({
    "project/.atomic/skills/pdf/SKILL.md": "Read $1.",
    "project/.claude/commands/sum.md": "Sum @list.txt and @../secret.txt",
    "project/list.txt": "1 2",
    "secret.txt": "3 4",
  });
  expect(await received("skills", "run", "pdf", "a.pdf")).toEqual(
    message("The files of this skill are in: <root>/project/.atomic/skills/pdf\n\nRead a.pdf."),
  );
  const { stdout, stderr } = await call("commands", "run", "sum");
  expect([JSON.parse(stdout), stderr]).toEqual([
    message('Sum @list.txt and @../secret.txt\n\n<file path="list.txt">\n1 2\n</file>'),
    '"sum" names @../secret.txt, which is not put into its prompt: it is outside of the working folder.\n',
  ]);
});

test("a command in a prompt runs only if the permissions allow it", async () => {
  await environment.write({
    "project/.claude/commands/status.md": "---\nallowed-tools: Bash\n---\nStatus: !`touch marker` !`echo $1`",
  });
  expect(await call("commands", "run", "status", "clean")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: [
      'error: "status" runs the command "touch marker" for its prompt, which was denied: No rule matches, so it requires approval ("otherwise": "ask").',
      "       Allow it with: --allow 'shell:touch marker'",
      "       (PROMPT_COMMAND_DENIED)",
      "",
    ].join("\n"),
  });
  const denied = await call("commands", "run", "status", "clean", "--yolo", "--deny", "shell:touch *");
  expect({ exitCode: denied.exitCode, stderr: denied.stderr.split("\n")[0] }).toEqual({
    exitCode: 1,
    stderr:
      'error: "status" runs the command "touch marker" for its prompt, which was denied: Rule 1 denies it: the command "touch marker" matches "touch *".',
  });
  expect(existsSync(join(environment.project, "marker"))).toBe(false);
  const allowed = ["--allow", "shell:touch marker", "--allow", "shell:echo *"];
  expect(await received("commands", "run", "status", "a'; touch evil; echo '", "b", ...allowed)).toEqual(
    message("Status:  a'; touch evil; echo '"),
  );
  expect([existsSync(join(environment.project, "marker")), existsSync(join(environment.project, "evil"))]).toEqual([
    true,
    false,
  ]);
});

test("a definition of a project that is not trusted is listed and not used; --trust trusts the project", async () => {
  await environment.write({
    "home/.atomic/trusted-projects.json": JSON.stringify({ version: 1, projects: [] }),
    "project/.claude/commands/status.md": "Status: !`touch marker`",
  });
  expect((await call("commands", "list")).stdout).toContain("claude, project, not trusted");
  expect(await call("commands", "run", "status", "--yolo")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: The command "status" is defined in a project that you have not trusted: <root>/project/.claude/commands/status.md.
       Look at it, then call again with --trust.
       (USAGE)
`,
  });
  expect(existsSync(join(environment.project, "marker"))).toBe(false);
  const trusted = await call("commands", "run", "status", "--yolo", "--trust");
  expect(trusted.stderr).toBe("Trusted <root>/project.\n");
  expect(JSON.parse(trusted.stdout)).toEqual(message("Status: "));
  expect(existsSync(join(environment.project, "marker"))).toBe(true);
});

test("a definition without its limit of tools is not used, nor another one of its name", async () => {
  await environment.write({
    "project/.atomic/agents/reviewer.md": "---\nname: Reviewer\nTools: Read\n---\nReview.",
    "home/.claude/agents/worker.md": "---\nname: worker\ntools: 5\n---\nWork.",
    "project/.atomic/agents/worker.md": "Work here.",
    "project/.atomic/commands/check.md": "---\nagent: reviewer\n---\nCheck.",
  });
  const problem = `The agent "reviewer" cannot be used: <root>/project/.atomic/agents/reviewer.md:3: Unknown field "Tools"; did you mean "tools"? Correct the name. The definition is not used, because its limit of tools cannot be read.`;
  for (const args of [
    ["agents", "run", "reviewer", "Go"],
    ["agents", "show", "reviewer"],
    ["commands", "run", "check"],
  ]) {
    const { exitCode, stdout, stderr } = await call(...args);
    expect({ exitCode, stdout, stderr: stderr.replace(/\n +/g, " ") }).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `error: ${problem} (USAGE)\n`,
    });
  }
  expect(await received("agents", "run", "worker", "Go")).toMatchObject({ systemPrompt: "Work here." });
});

test("in a plugin's texts, commands and files, CLAUDE_PLUGIN_ROOT is the plugin's folder", async () => {
  const installPath = join(environment.root, "plug in");
  await environment.write({
    "home/.claude/plugins/installed_plugins.json": JSON.stringify({ plugins: { "good@shop": [{ installPath }] } }),
    "plug in/agents/helper.md": "---\nname: helper\n---\nSee ${CLAUDE_PLUGIN_ROOT}/guide.md.",
    "plug in/guide.md": "Be good.",
    "plug in/hello.sh": "echo hello from $0",
    "plug in/commands/greet.md":
      "In ${CLAUDE_PLUGIN_ROOT}: !`sh ${CLAUDE_PLUGIN_ROOT}/hello.sh`\n@${CLAUDE_PLUGIN_ROOT}/guide.md @${CLAUDE_PLUGIN_ROOT}/../secret.txt",
    "secret.txt": "3 4",
  });
  expect(await received("agents", "run", "good:helper", "Go")).toEqual({
    ...message("Go"),
    systemPrompt: "See <root>/plug in/guide.md.",
  });
  expect(await received("commands", "run", "good:greet", "--allow", "shell:sh *", "--allow", "read")).toEqual(
    message(
      `In <root>/plug in: hello from <root>/plug in/hello.sh
@<root>/plug in/guide.md @<root>/plug in/../secret.txt

<file path="<root>/plug in/guide.md">
Be good.
</file>`,
    ),
  );
});

test("a command whose agent does not exist is a problem in the list, and cannot be used", async () => {
  await environment.write({
    "project/.claude/commands/check.md": "---\nagent: reveiwer\n---\nCheck.",
    "project/.claude/commands/plan.md": "---\nagent: Plan\n---\nPlan.",
    "project/.claude/commands/odd.md": "---\nagent: zzzzzz\n---\nPlan.",
    "project/.github/prompts/old.prompt.md": "---\nmode: reveiwer\n---\nCheck.",
  });
  const { stderr: listed } = await call("commands", "list");
  expect(listed.split("\n")).toEqual([
    'warning: <root>/project/.claude/commands/check.md: Unknown agent "reveiwer"; did you mean "reviewer"? Correct the field "agent" of "check", or write that agent: without it, the command cannot be used.',
    'warning: <root>/project/.claude/commands/odd.md: Unknown agent "zzzzzz". Correct the field "agent" of "odd", or write that agent: without it, the command cannot be used.',
    'warning: <root>/project/.github/prompts/old.prompt.md: Unknown agent "reveiwer"; did you mean "reviewer"? Correct the field "mode" of "old", or write that agent: without it, the command cannot be used.',
    "",
  ]);
  expect((await call("agents", "list")).stderr).toBe("");
  expect(await call("commands", "run", "check")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      'error: The command "check" cannot be used: Unknown agent "reveiwer"; did you mean "reviewer"?',
      "       See all of them: atomic agents list",
      "       (USAGE)",
      "",
    ].join("\n"),
  });
});

test.each([".claude/commands/x.md", ".opencode/command/x.md", ".github/prompts/x.prompt.md"])(
  "%s with the agent plan runs with one that changes nothing",
  async (path) => {
    await environment.write({ [`project/${path}`]: "---\nagent: plan\n---\nLook." });
    expect(await received("commands", "run", "x")).toEqual({
      ...message("Look."),
      systemPrompt: expect.stringMatching(/You do not change files\./),
    });
  },
);

test("the user's definition in the place of an untrusted project's is noted with the reason", async () => {
  await environment.write({
    "home/.atomic/trusted-projects.json": JSON.stringify({ version: 1, projects: [] }),
    "project/.claude/commands/review.md": "Theirs.",
    "home/.claude/commands/review.md": "Mine.",
  });
  const note =
    'note: The command "review" of this project is not used, because the project is not trusted: <root>/project/.claude/commands/review.md\n';
  const wide = await environment.start(["commands", "list", "--all"], { columns: 400 }).ended;
  expect(environment.normalise(wide.stdout).split("\n").slice(1)).toEqual([
    "review   claude, user                             Mine.",
    "review   claude, project, not trusted             (not used, as the project is not trusted: <root>/home/.claude/commands/review.md is) Theirs.",
    "",
  ]);
  expect((await call("commands", "list")).stderr).toBe(note);
  const { stdout, stderr } = await call("commands", "run", "review");
  expect({ stdout: JSON.parse(stdout), stderr }).toEqual({ stdout: message("Mine."), stderr: note });
  expect((await call("commands", "run", "review", "--trust")).stderr).not.toContain("note: ");
  expect(await received("commands", "run", "review")).toEqual(message("Theirs."));
});

test("--trust of list and show trusts the project first", async () => {
  await environment.write({
    "home/.atomic/trusted-projects.json": JSON.stringify({ version: 1, projects: [] }),
    "project/.claude/commands/review.md": "Theirs.",
    "home/.claude/commands/review.md": "Mine.",
  });
  expect((await call("commands", "show", "review")).stdout).toEndWith("\nMine.\n");
  expect((await call("commands", "show", "review", "--trust")).stdout).toEndWith("\nTheirs.\n");
  await environment.write({ "home/.atomic/trusted-projects.json": JSON.stringify({ version: 1, projects: [] }) });
  const { exitCode, stdout } = await call("commands", "list", "--trust");
  expect({ exitCode, lines: stdout.split("\n").slice(1) }).toEqual({
    exitCode: 0,
    lines: ["review   claude, project             Theirs.", ""],
  });
});

test.each(["../evil", "/etc/passwd", "./review.md", "a/../b", "zzzz.md"])("%s is no name", async (path) => {
  expect(await call("agents", "show", path)).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: "${path}" is a path, not the name of an agent.\n       See all of them: atomic agents list\n       (USAGE)\n`,
  });
});
