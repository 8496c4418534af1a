/** What the test of the documents' commands does with one of them that is not simply executed with success. */
export interface CommandRule {
  readonly document: string;
  /** As `readCommandBlocks` returns it. */
  readonly command: string;
  /**
   * - `left-out`: it cannot run in a test.
   * - `in-checkout`: it is executed in this repository, with success.
   * - `in-terminal`: it opens the chat, which the test closes at its first frame.
   * - a number: the exit code that it ends with.
   */
  readonly ends: "left-out" | "in-checkout" | "in-terminal" | number;
  readonly reason: string;
}

/** What is in the project, and what happened in it, before the commands of a block are executed. */
export interface Preparation {
  readonly document: string;
  /** Of the block, its first command. */
  readonly first: string;
  /** By path in the project. @default none */
  readonly files?: Readonly<Record<string, string>>;
  /** Ends with exit code 0. @default none */
  readonly command?: string;
  /** What a command of the block prints. @default not compared */
  readonly prints?: RegExp;
}

/** The documents whose blocks with the marker `run` another test executes and compares with what they print. */
export const FOLLOWED_DOCUMENTS: ReadonlySet<string> = new Set(["README.md", "docs/workflows.md"]);

const INSTALLS = "It needs a registry of packages.";
const IN_TERMINAL = "It opens the chat.";
const IN_CI = "CI begins with it.";

/** Every command of a document that is not simply executed with success. */
export const COMMAND_RULES: readonly CommandRule[] = [
  ...rules("README.md", [
    ["npm ci", "left-out", `${INSTALLS} ${IN_CI}`],
    ["npm run demo", "in-checkout", "The script is of this repository."],
    ["npm install --global @bastani/atomic", "left-out", `${INSTALLS} shipped-programs.soak.ts installs the archive.`],
    ["atomic install claude", "left-out", INSTALLS],
  ]),
  ...rules("docs/atomic.md", [
    [
      'atomic run atomic "Add a --json flag to the list command" --input verifyCommand="npm test" --allow edit --allow "shell:npm test" --allow "shell:npm test *"',
      3,
      "It waits until a person approves the specification.",
    ],
  ]),
  ...rules("docs/chat.md", [
    ["atomic", "in-terminal", IN_TERMINAL],
    ["atomic --agent claude --model opus", "in-terminal", IN_TERMINAL],
    ["atomic -c", "in-terminal", IN_TERMINAL],
    ["atomic --session ID", "in-terminal", IN_TERMINAL],
  ]),
  ...rules("docs/installation.md", [
    ["npm install --global @bastani/atomic", "left-out", `${INSTALLS} shipped-programs.soak.ts installs the archive.`],
    ["npm install --global @bastani/atomic@latest", "left-out", INSTALLS],
    ["npm uninstall --global @bastani/atomic", "left-out", "It would remove the reader's own."],
  ]),
  ...rules("docs/permissions.md", [
    ['atomic permissions why "npm test && git push" --allow "shell:npm test"', 3, "git push requires approval."],
    ["atomic permissions why --kind edit --path .git/hooks/pre-commit --allow edit", 3, "The file is protected."],
    ["atomic permissions why --tool mcp__github__create_issue", 3, "No rule is about this tool."],
  ]),
  ...rules("docs/runs.md", [
    [
      "atomic runs answer last allow --request permission-3f9a1c",
      2,
      "The id is an example. answer-command.slow.ts answers a request with its id.",
    ],
  ]),
  ...rules("docs/sandbox.md", [
    ["atomic install sandbox", "left-out", INSTALLS],
    [
      "sudo apt-get install bubblewrap socat ripgrep bash",
      "left-out",
      "It needs root. .ci/run installs these packages.",
    ],
  ]),
  ...rules("docs/scripts.md", [
    [
      'atomic write "Audit each source file for missing error handling, and rank the findings" --agent claude --max-agents 12',
      1,
      "The scripted agent's drafts are empty. write.agents.ts writes a script.",
    ],
  ]),
  ...rules("docs/workflows.md", [
    [
      "npm install --save-dev @bastani/atomic",
      "left-out",
      `${INSTALLS} shipped-programs.soak.ts installs the archive.`,
    ],
  ]),
];

const A_RUN = 'atomic ralph "Write the parts" --verify "npm test"';

/** By document and first command of a block. Without one, a block starts in a project without runs. */
export const PREPARATIONS: readonly Preparation[] = [
  { document: "docs/reports.md", first: "atomic runs report last", command: A_RUN },
  { document: "docs/runs.md", first: "atomic runs history last", command: A_RUN },
  { document: "docs/workflows.md", first: "atomic runs show RUN --output", command: A_RUN },
  {
    ...{ document: "docs/runs.md", first: "atomic run deploy --detach --ask 10m" },
    files: {
      ".atomic/workflows/deploy.ts": `import { graph, waitNode } from "@bastani/atomic/graph";
export default () => graph().start(waitNode({ id: "approve", prompt: "Deploy?" })).end().compile();
`,
    },
  },
  {
    ...{ document: "docs/definitions.md", first: "ATOMIC_DEBUG=1 atomic run release 2>&1 | grep workflows" },
    files: {
      ".atomic/workflows/release.ts": `import { agentNode, graph, skillNode } from "@bastani/atomic/graph";
const publish = agentNode({ id: "publish", agent: "releaser", prompt: "Publish it." });
export default () => graph().start(skillNode({ id: "commit", skill: "commit" })).then(publish).end().compile();
`,
    },
    prints: /^\[workflows\] Resolved skill "commit": built-in$/m,
  },
  {
    ...{ document: "docs/waiting-runs.md", first: "atomic runs due --dry-run" },
    files: {
      ".atomic/workflows/release.ts": `import { graph, waitNode } from "@bastani/atomic/graph";
const gate = waitNode({ id: "gate", prompt: "Ship?", autoApprove: { afterMs: 1_000 } });
export default () => graph().start(gate).end().compile({ autoApproveWaitMs: 0 });
`,
    },
    command: "atomic run release; until atomic runs due --dry-run | grep release; do :; done",
    prints: /^completed {2}release {2}run \w+$/m,
  },
];

function rules(
  document: string,
  entries: readonly (readonly [command: string, ends: CommandRule["ends"], reason: string])[],
): readonly CommandRule[] {
  return entries.map(([command, ends, reason]) => ({ document, command, ends, reason }));
}
