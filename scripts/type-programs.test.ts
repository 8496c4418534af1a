import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WRONG_PROGRAMS } from "./type-programs/wrong-programs.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const PRELUDE = `import * as g from "@bastani/atomic/graph";
const State = g.defineState({ topic: g.annotation(""), count: g.annotation(0), list: g.annotation<string[]>([], g.Reducers.concat) });
type State = g.StateOf<typeof State>;
const Sub = g.defineState({ question: g.annotation("") });
type Sub = g.StateOf<typeof Sub>;
const ok = g.toolNode<State, object, string>({ id: "ok", execute: () => "x", outputMapper: (topic) => ({ topic }) });
const sub = g.graph(Sub).start({ id: "s", type: "tool", execute: () => undefined }).end().compile();
const Loop = g.defineState({ ...g.taskLoopFields, ...g.criteriaLoopFields, topic: g.annotation("") });
type Loop = g.StateOf<typeof Loop>;
const looped: g.NodeDefinition<Loop> = { id: "l", type: "tool", execute: () => undefined };
const done = g.graph(State).start(ok).end().compile();
void ok; void sub; void done; void looped;
`;

/** A program that must compile. */
const LOOPS = `
const work = g.taskLoopNode<Loop>({
  preIterationNode: g.clearContextNode({ session: ({ currentTask }) => \`task \${currentTask?.id}\` }),
  taskNodes: [
    g.agentNode({ id: "implement", session: "s", buildMessage: ({ currentTask }) => currentTask?.name ?? "" }),
    g.contextMonitorNode<Loop>({ session: "s", outputMapper: ({ level }) => ({ topic: level }) }),
  ],
  until: ({ topic }, tasks) => topic === "done" || tasks.length === 0,
});
const talk = g.criteriaLoopNode<Loop>({ taskNodes: looped, output: ({ topic }) => topic });
g.graph(Loop).start(work).then([talk, looped]).loop(g.taskLoopNode<Loop>({ id: "b", taskNodes: looped }), { maxIterations: 2 }).end().compile();
`;

/** Programs of the documentation; a document's others are parts of programs. */
const DOCUMENTED = ["docs/graph.md", "README.md"] as const;

let folder: string;
let output: string;

beforeAll(async () => {
  // Inside the repository, so that the package's own name resolves.
  folder = await mkdtemp(join(ROOT, "node_modules", ".types-"));
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../tsconfig.json",
      include: ["*.ts", "../../scripts/type-programs/*.ts"],
      exclude: [],
    }),
  );
  for (const [index, { code }] of WRONG_PROGRAMS.entries())
    await writeFile(join(folder, `wrong-${index}.ts`), PRELUDE + code);
  const links = Array.from({ length: 400 }, (_, index) => `  .then({ ...ok, id: "n${index}" })`).join("\n");
  await writeFile(
    join(folder, "right.ts"),
    `${PRELUDE}g.graph(State)\n  .start(ok)\n${links}\n  .end()\n  .compile();`,
  );
  await writeFile(join(folder, "loops.ts"), PRELUDE + LOOPS);
  for (const document of DOCUMENTED) {
    const fences = (await readFile(join(ROOT, document), "utf8")).matchAll(/^```ts\n([\s\S]*?)^```$/gm);
    for (const [index, [, code = ""]] of [...fences].entries()) {
      await writeFile(join(folder, `${fileNameOf(document)}-${index}.ts`), code);
    }
  }
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const child = Bun.spawn(["node", compiler, "--project", folder, "--pretty", "false"], {
    cwd: folder,
    stdout: "pipe",
  });
  output = await new Response(child.stdout).text();
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function fileNameOf(document: string): string {
  return document.replaceAll(/\W/g, "-");
}

function messagesFor(file: string): string {
  const lines = output.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`${file}(`));
  if (start === -1) return "";
  const end = lines.findIndex((line, index) => index > start && !line.startsWith(" ") && !line.startsWith(`${file}(`));
  return lines.slice(start, end === -1 ? undefined : end).join("\n");
}

test.each(WRONG_PROGRAMS.map((program, index) => ({ ...program, file: `wrong-${index}.ts` })))(
  "does not compile: $title",
  ({ file, reason }) => {
    expect(messagesFor(file)).toContain(reason);
  },
);

test("a chain of 400 nodes compiles", () => {
  expect(messagesFor("right.ts")).toBe("");
});

test("nodes within a task loop know its state without a type argument", () => {
  expect(messagesFor("loops.ts")).toBe("");
});

test.each(["document-examples", "inferred-types"])("%s.ts compiles without a type argument", async (name) => {
  const file = `scripts/type-programs/${name}.ts`;
  // Of a factory; a graph of a bare type has nothing else to take it from.
  expect((await readFile(join(ROOT, file), "utf8")).match(/\b\w+Node</g)).toBeNull();
  expect(messagesFor(`../../${file}`)).toBe("");
});

test.each([...DOCUMENTED])("the programs of %s compile, no factory with a type argument", async (document) => {
  expect((await readFile(join(ROOT, document), "utf8")).match(/\b\w+Node</g)).toBeNull();
  expect(output.split("\n").filter((line) => line.startsWith(fileNameOf(document)))).toEqual([]);
});

test("nothing else is wrong with the programs", () => {
  const files = new Set(output.split("\n").flatMap((line) => /^([\w./-]+\.ts)\(/.exec(line)?.[1] ?? []));
  expect([...files].sort()).toEqual(WRONG_PROGRAMS.map((_, index) => `wrong-${index}.ts`).sort());
});
