import { join } from "node:path";
import {
  type ModelReply,
  type ModelScript,
  type ScriptedReply,
  type ScriptedTurn,
  scriptConversation,
} from "../../testkit/index.ts";
import { DEMO_FAULTS, type DemoFault } from "./demo-project.ts";

/** An attempt at the demo's task, and the fault it repairs. */
interface DemoAttempt {
  readonly fault: DemoFault;
  readonly report: string;
  readonly commitMessage: string;
}

/** The first attempt misses a fault: the tests say so, and the second one repairs it. */
const ATTEMPTS: readonly [DemoAttempt, DemoAttempt] = [
  {
    fault: DEMO_FAULTS[0],
    report: "total() ignored the quantity of an item. It multiplies now.",
    commitMessage: "Multiply prices by quantities in the cart",
  },
  {
    fault: DEMO_FAULTS[1],
    report: "formatPrice() printed 1205 cents as 12.5 EUR. It prints two decimals now.",
    commitMessage: "Print prices with two decimals",
  },
];

const PLAN = {
  tasks: [
    {
      id: "1",
      name: "Make the tests pass",
      description: "Find out why the tests of test/shop.test.js fail, and repair the code in src.",
      dependencies: [],
    },
  ],
};

/** The attempt that a message asks for; `undefined` for the request of a plan. */
function attemptOf(message: string): DemoAttempt | undefined {
  if (!message.includes("(task 1)")) return undefined;
  return ATTEMPTS[message.includes("was not accepted") ? 1 : 0];
}

/**
 * The model of a real OpenCode: plans one task, and makes two attempts at it. Each reads a file, repairs it with the agent's
 * own edit tool, and commits with the agent's own shell tool.
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
  const workers = new Map(
    ATTEMPTS.map((attempt) => [attempt, scriptConversation(workerSteps(attempt, projectDirectory))]),
  );
  return (request) => {
    const handedOut = request.messages.findLast(
      ({ role, text }) => role === "user" && /\(task \d+\)|Break the following/.test(text),
    );
    const attempt = handedOut === undefined ? undefined : attemptOf(handedOut.text);
    const script = (attempt && workers.get(attempt)) ?? planner;
    return script(request);
  };
}

function workerSteps({ fault, report, commitMessage }: DemoAttempt, projectDirectory: string): readonly ModelReply[] {
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
      toolCalls: [{ name: "bash", input: { command: commitCommand(commitMessage), description: "Commit the change" } }],
    },
    { type: "message", text: report },
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
  const attempt = attemptOf(turn.prompt);
  if (attempt === undefined) return { structured: PLAN };
  const { fault, commitMessage, report } = attempt;
  const text = await readProjectFile(fault.file);
  return {
    text: report,
    actions: [
      { type: "edit-file", path: fault.file, content: text.replace(fault.wrong, () => fault.right) },
      { type: "run-command", command: commitCommand(commitMessage) },
    ],
  };
}
