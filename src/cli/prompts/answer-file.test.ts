import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AgentQuestion } from "../../contracts/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { AnswerFile } from "./answer-file.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

async function load(answers: object): Promise<AnswerFile> {
  await environment.write({ "project/answers.json": JSON.stringify(answers) });
  return await AnswerFile.load("answers.json", environment.project);
}

function questionOf(question: string, changes: Partial<AgentQuestion> = {}): AgentQuestion {
  return { id: "q", sessionId: "s", question, options: [], isMultiple: false, ...changes };
}

const DECLINED = { type: "decline", reason: "Nobody is there to answer the question." } as const;
const OPTIONS = [{ label: "Lint" }, { label: "Types" }];

test.each([
  { title: "by its text", answers: { "Which port?": 80 }, values: ["80"] },
  { title: "whatever its spaces", answers: { " Which\nport? ": "80" }, values: ["80"] },
  {
    title: "by an option in any case",
    answers: { "Which port?": "LINT" },
    changes: { options: OPTIONS },
    values: ["Lint"],
  },
  { title: "by a text of its own", answers: { "Which port?": "x" }, changes: { options: OPTIONS }, values: ["x"] },
  {
    title: "by several options",
    answers: { "Which port?": [["lint", "types"]] },
    changes: { options: OPTIONS, isMultiple: true },
    values: ["Lint", "Types"],
  },
])("a question of an agent is answered $title", async ({ answers, changes, values }) => {
  const file = await load(answers);
  expect(file.answerAgent(questionOf("Which port?", changes))).toEqual({ type: "answer", values });
  expect(file.describeProblems()).toEqual([]);
});

test.each([
  { title: "that has no key", answers: { "Which host?": "a" }, unused: "Which host?" },
  { title: "for which there is only a star", answers: { "*": "a" }, unused: "*" },
  {
    title: "that takes one answer, where there are several",
    answers: { "Which port?": [["a", "b"]] },
    unused: "Which port?",
  },
  { title: "whose answer is no text", answers: { "Which port?": { port: 1 } }, unused: "Which port?" },
])("a question of an agent $title is declined", async ({ answers, unused }) => {
  const file = await load(answers);
  expect(file.answerAgent(questionOf("Which port?"))).toEqual(DECLINED);
  expect(file.describeProblems()).toEqual([`No question took these answers of answers.json: ${unused}.`]);
});

test("the answers of a list are for successive questions, in an unattended run", async () => {
  await environment.writeWorkflows({
    asks: `import { graph, toolNode } from "@bastani/atomic/graph";
const question = { id: "q", sessionId: "s", question: "Which port?", options: [], isMultiple: false };
const execute = async (_, { services, signal }) => {
  const ask = () => services.sessionConfig.onQuestion(question, { signal });
  return [await ask(), await ask(), await ask()].map((answer) => answer.values?.[0] ?? answer.type);
};
export default () => graph().start(toolNode({ id: "asks", execute })).end().compile();
`,
    asksNobody: `import { graph, toolNode } from "@bastani/atomic/graph";
const execute = (_, { services }) => String(services.sessionConfig.onQuestion);
export default () => graph().start(toolNode({ id: "asks", execute })).end().compile();
`,
  });
  await environment.write({ "project/answers.yaml": '"Which port?": [80, 81]\n' });
  const { exitCode, stdout, stderr } = await environment.atomic("run", "asks", "--answers", "answers.yaml");
  expect([exitCode, stderr.includes("warning")]).toEqual([0, false]);
  expect(stdout.replace(/\s+/g, "")).toEndWith('["80","81","decline"]');
  expect((await environment.atomic("run", "asksNobody")).stdout).toEndWith("\n\nundefined\n");
});

test.each([
  { name: "a.txt", text: "approve: yes\n" },
  { name: "a.json", text: "approve: yes\n" },
  { name: "a", text: '// checked\n{ "approve": "yes" }\n' },
  { name: "a.yaml", text: '{ "approve": "yes", }\n' },
  { name: "a.yml", text: "{ approve: yes }\n" },
])("the content of a file of answers decides whether it is JSON or YAML: $name, $text", async ({ name, text }) => {
  await environment.write({ [`project/${name}`]: text });
  const file = await AnswerFile.load(name, environment.project);
  expect(file.answerAgent(questionOf("approve"))).toEqual({ type: "answer", values: ["yes"] });
});

test.each([
  { text: "approve: yes\napprove: no\n", message: "Map keys must be unique at line 2, column 1" },
  { text: '{\n  "approve": \n}\n', message: "--answers a.txt cannot be read: " },
  { text: "approve\n", message: "must contain an object" },
])("a file of answers that is neither is an error: $text", async ({ text, message }) => {
  await environment.write({ "project/a.txt": text });
  expect(AnswerFile.load("a.txt", environment.project)).rejects.toThrow(message);
});
