import { describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "../src/cli/e2e/fixtures/sandbox.ts";
import { PtyScreen } from "../src/tui/fixtures/pty-screen.ts";
import { type CommandBlock, readCommandBlocks, readShownFiles } from "./command-blocks.ts";
import { COMMAND_RULES, FOLLOWED_DOCUMENTS, PREPARATIONS, type Preparation } from "./document-commands.ts";
import { readDocument } from "./document-reader.ts";

const REPOSITORY = join(import.meta.dirname, "..");

/** A project with tests that pass, a main branch on a server, and a change since then. */
const PROJECT = {
  "package.json": '{"name":"list","version":"1.0.0","type":"module","scripts":{"test":"node --test"}}',
  "package-lock.json":
    '{"name":"list","version":"1.0.0","lockfileVersion":3,"requires":true,"packages":{"":{"name":"list","version":"1.0.0"}}}',
  "README.md": "# List\n",
  "list.test.js": 'import { test } from "node:test";\ntest("lists", () => {});\n',
  ".gitignore": "node_modules\n",
};

/** A wrong option, the stack of an error, and advice about a rule that the document should follow itself. */
const UNWANTED = /unknown option|^ {4}at |^The rule "/m;

/** What is executed without a rule. */
const EXECUTED = /^(?:\w+=\S+ )*atomic\b|^export /;

interface DocumentBlock extends CommandBlock {
  readonly document: string;
}

async function readBlocks(): Promise<readonly DocumentBlock[]> {
  const pages = (await readdir(join(REPOSITORY, "docs"))).filter((name) => name.endsWith(".md")).toSorted();
  const documents = ["README.md", ...pages.map((name) => `docs/${name}`)];
  const blocks = documents.map(async (document) =>
    readCommandBlocks(await readDocument(document)).map((block) => ({ document, ...block })),
  );
  return (await Promise.all(blocks)).flat();
}

const ALL_BLOCKS = await readBlocks();
const BLOCKS = ALL_BLOCKS.filter(
  ({ document, marker, commands }) =>
    !(marker === "run" && FOLLOWED_DOCUMENTS.has(document)) &&
    commands.some((command) => ruleOf(document, command)?.ends !== "left-out"),
);

function ruleOf(document: string, command: string): (typeof COMMAND_RULES)[number] | undefined {
  return COMMAND_RULES.find((rule) => rule.document === document && rule.command === command);
}

async function createProject(block: DocumentBlock): Promise<Sandbox> {
  const { document, line } = block;
  const sandbox = await Sandbox.create();
  await sandbox.write(PROJECT);
  await sandbox.commitAll();
  await sandbox.shell(
    "git clone -q --bare . ../origin.git && git remote add origin ../origin.git && git fetch -q origin",
  );
  await sandbox.shell("git checkout -q -b change && echo 'export const size = 1;' > list.js && git add -A");
  await sandbox.shell("git commit -q -m change");
  const shown = readShownFiles(await readDocument(document)).filter((file) => file.line < line);
  await sandbox.write(Object.fromEntries(shown.map(({ path, text }) => [path, text])));
  await sandbox.write(preparationOf(block)?.files ?? {});
  await sandbox.shell("git add -A && git diff --cached --quiet || git commit -q -m page");
  await sandbox.atomic("trust", "add");
  return sandbox;
}

function preparationOf({ document, commands }: DocumentBlock): Preparation | undefined {
  return PREPARATIONS.find((preparation) => preparation.document === document && preparation.first === commands[0]);
}

/** Executes one command as its rule says. Returns what it printed. */
async function carryOut(reader: Reader, document: string, command: string): Promise<string> {
  const ends = ruleOf(document, command)?.ends ?? 0;
  if (ends === "left-out") return "";
  if (ends === "in-terminal") {
    expect([command, await reader.openChat(forScriptedAgent(command))]).toEqual([command, 0]);
    return "";
  }
  const folder = ends === "in-checkout" ? REPOSITORY : undefined;
  const { exitCode, output } = await reader.execute(forScriptedAgent(command), folder);
  expect({ command, exitCode, output }).toEqual({ command, exitCode: typeof ends === "number" ? ends : 0, output });
  expect({ command, output }).toEqual({ command, output: expect.not.stringMatching(UNWANTED) });
  return output;
}

/** A command with the scripted agent in the place of those that need a login, and names of the page's own run. */
function forScriptedAgent(command: string): string {
  return command
    .replace(/--agents \S+/, "--agents scripted")
    .replace(/--agent (?:claude|codex|opencode)/, "--agent scripted")
    .replace(/\bRUN\b/, "last");
}

/** The commands of a block in one shell, with what the earlier ones exported. */
class Reader {
  readonly #sandbox: Sandbox;
  readonly #exports: string[] = [];

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async execute(
    command: string,
    folder = this.#sandbox.project,
  ): Promise<{ readonly exitCode: number; readonly output: string }> {
    if (command.startsWith("export ")) this.#exports.push(command);
    const script = ["exec 2>&1", ...this.#exports, command].join("\n");
    const child = Bun.spawn(["bash", "-c", script], {
      cwd: folder,
      env: { ...this.#sandbox.env, ATOMIC_AGENT: "scripted", GITHUB_BASE_REF: "main", CI: "true", ATOMIC_DEBUG: "" },
      stdin: "ignore",
      stdout: "pipe",
    });
    const [exitCode, output] = await Promise.all([child.exited, child.stdout.text()]);
    return { exitCode, output };
  }

  /** Opens the chat, and closes it at its first frame. */
  async openChat(command: string): Promise<number> {
    const { project: workingDirectory, env } = this.#sandbox;
    const variables = { ...env, ATOMIC_AGENT: "scripted", CI: "" };
    const screen = new PtyScreen(["sh", "-c", `exec ${command}`], { env: variables, workingDirectory });
    try {
      await screen.until(/Ask anything/, { timeoutMs: 40_000 });
      screen.press("ctrl+c");
      screen.press("ctrl+c");
      return await screen.exit({ timeoutMs: 40_000 });
    } finally {
      screen.close();
    }
  }
}

describe("the commands of the documents work", () => {
  test.each(BLOCKS.map((block) => [`${block.document}:${block.line}`, block] as const))(
    "%s",
    async (_place, block) => {
      const sandbox = await createProject(block);
      try {
        const reader = new Reader(sandbox);
        const preparation = preparationOf(block);
        if (preparation?.command !== undefined) {
          await reader.execute(preparation.command);
        }
        const outputs: string[] = [];
        for (const command of block.commands) outputs.push(await carryOut(reader, block.document, command));
        if (preparation?.prints !== undefined) expect(outputs.join("\n")).toMatch(preparation.prints);
      } finally {
        await sandbox.remove();
      }
    },
    300_000,
  );
});

test("each rule is about a command that its document has", () => {
  const known = (document: string, command: string): boolean =>
    ALL_BLOCKS.some((block) => block.document === document && block.commands.includes(command));
  expect(COMMAND_RULES.filter(({ document, command }) => !known(document, command))).toEqual([]);
  expect(PREPARATIONS.filter(({ document, first }) => !known(document, first))).toEqual([]);
});

test("each command is one of atomic, or has a rule", () => {
  const commands = BLOCKS.flatMap(({ document, commands }) => commands.map((command) => ({ document, command })));
  const others = commands.filter(({ command }) => !EXECUTED.test(command));
  expect(others.filter(({ document, command }) => ruleOf(document, command) === undefined)).toEqual([]);
});

test("each document whose output is compared has blocks for it", () => {
  const marked = ALL_BLOCKS.filter(({ marker }) => marker === "run").map(({ document }) => document);
  expect(new Set(marked)).toEqual(FOLLOWED_DOCUMENTS as Set<string>);
});
