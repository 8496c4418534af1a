import { join } from "node:path";
import {
  type ModelReply,
  type ModelScript,
  type ScriptedReply,
  type ScriptedTurn,
  scriptConversation,
} from "../../testkit/index.ts";
import { DEMO_FAULTS, DEMO_TEST_COMMAND, type DemoFault } from "./demo-project.ts";

/** A task of the demo's plan, and the fault it repairs. */
interface DemoTask {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly dependencies: readonly string[];
  readonly fault: DemoFault;
  readonly commitMessage: string;
}

const TASKS: readonly DemoTask[] = [
  {
    id: "1",
    name: "Multiply prices by quantities",
    description: "total() in src/cart.js ignores the quantity of an item. Fix it, so that the test of the cart passes.",
    dependencies: [],
    fault: DEMO_FAULTS[0],
    commitMessage: "Multiply prices by quantities in the cart",
  },
  {
    id: "2",
    name: "Print prices with two decimals",
    description:
      "formatPrice() in src/price.js prints 1205 cents as 12.5 EUR. Fix it, so that the test of the price passes.",
    dependencies: ["1"],
    fault: DEMO_FAULTS[1],
    commitMessage: "Print prices with two decimals",
  },
];

const PLAN = { tasks: TASKS.map(({ fault: _fault, commitMessage: _message, ...task }) => task) };

/** The task in a message; `undefined` for the request of a plan. */
function taskOf(message: string): DemoTask | undefined {
  return TASKS.find(({ id }) => message.includes(`(task ${id})`));
}

/**
 * The model of a real OpenCode: plans two tasks. For each, it reads the file, repairs it with the agent's own edit tool, runs
 * the tests and commits with the agent's own shell tool.
 */
export function createDemoModelScript(projectDirectory: string): ModelScript {
  const planner = scriptConversation([
    {
      type: "message",
      toolCalls: [{ name: "read", input: { filePath: join(projectDirectory, "test/shop.test.js") } }],
    },
    { type: "message", toolCalls: [{ name: "StructuredOutput", input: PLAN }] },
    { type: "message", text: "The work is planned." },
  ]);
  const workers = new Map(TASKS.map((task) => [task.id, scriptConversation(workerSteps(task, projectDirectory))]));
  return (request) => {
    const handedOut = request.messages.findLast(
      ({ role, text }) => role === "user" && /\(task \d+\)|Break the following/.test(text),
    );
    const task = handedOut === undefined ? undefined : taskOf(handedOut.text);
    const script = (task && workers.get(task.id)) ?? planner;
    return script(request);
  };
}

function workerSteps({ fault, name, commitMessage }: DemoTask, projectDirectory: string): readonly ModelReply[] {
  const filePath = join(projectDirectory, fault.file);
  return [
    {
      type: "message",
      text: `I will look at ${fault.file} first.`,
      toolCalls: [{ name: "read", input: { filePath } }],
    },
    {
      type: "message",
      text: "There it is.",
      toolCalls: [{ name: "edit", input: { filePath, oldString: fault.wrong, newString: fault.right } }],
    },
    {
      type: "message",
      toolCalls: [{ name: "bash", input: { command: DEMO_TEST_COMMAND, description: "Run the tests" } }],
    },
    {
      type: "message",
      toolCalls: [{ name: "bash", input: { command: commitCommand(commitMessage), description: "Commit the change" } }],
    },
    { type: "message", text: `Done: ${name}.` },
  ];
}

function commitCommand(message: string): string {
  return `git add --all && git commit --quiet --message "${message}"`;
}

/** The whole agent, if OpenCode is not installed. */
export async function playDemoAgent(
  turn: ScriptedTurn,
  readProjectFile: (path: string) => Promise<string>,
): Promise<ScriptedReply> {
  const task = taskOf(turn.prompt);
  if (task === undefined) return { structured: PLAN };
  const { fault, commitMessage, name } = task;
  const text = await readProjectFile(fault.file);
  return {
    text: `Done: ${name}.`,
    actions: [
      { type: "edit-file", path: fault.file, content: text.replace(fault.wrong, () => fault.right) },
      { type: "run-command", command: DEMO_TEST_COMMAND },
      { type: "run-command", command: commitCommand(commitMessage) },
    ],
  };
}
