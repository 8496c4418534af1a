import { AtomicError, type Usage } from "../../contracts/index.ts";
import {
  type AnyOptionTable,
  amount,
  anything,
  either,
  findOptionProblems,
  listOf,
  type OptionCheck,
  type OptionTable,
  object,
  oneOf,
  required,
  shape,
  showValue,
  someText,
  text,
  yesOrNo,
} from "../../graph/engine.ts";
import type { ScriptedAction, ScriptedReply } from "./scripted-turn.ts";

type FullReply = Exclude<ScriptedReply, string>;
type ActionType = ScriptedAction["type"];
type FieldsOf<Type extends ActionType> = Omit<Extract<ScriptedAction, { type: Type }>, "type">;

/** The fields of each action, besides its type. */
const ACTIONS: { readonly [Type in ActionType]: OptionTable<FieldsOf<Type>> } = {
  "edit-file": { path: required(someText), content: required(text) },
  "read-file": { path: required(someText) },
  "run-command": { command: required(text) },
  "call-tool": { name: required(someText), input: required(anything, "give it the input of the tool, for example {}") },
  "ask-question": { question: required(text), options: listOf(text, "a list of texts"), isMultiple: yesOrNo },
  "run-subagent": { prompt: required(text), title: text },
  "report-call": {
    toolName: required(someText),
    kind: required(oneOf(["read", "edit", "shell", "fetch", "mcp", "agent", "other"])),
    input: required(anything, "give it the input of the tool, for example {}"),
    output: required(text),
    isError: yesOrNo,
  },
  "report-denial": { denied: required(object) },
  wait: { reason: required(someText), message: required(text), delayMs: required(amount) },
};

/** Other words for the types of actions. */
const OTHER_WORDS: Readonly<Record<string, ActionType>> = {
  edit: "edit-file",
  write: "edit-file",
  "write-file": "edit-file",
  read: "read-file",
  run: "run-command",
  shell: "run-command",
  command: "run-command",
  tool: "call-tool",
  ask: "ask-question",
  question: "ask-question",
  subagent: "run-subagent",
  sleep: "wait",
};

const ACTION_TYPE: OptionCheck = oneOf(Object.keys(ACTIONS), OTHER_WORDS);

const ACTION: OptionCheck = {
  expected: 'an object such as { type: "edit-file", path, content }',
  accepts: object.accepts,
  inside(value, path) {
    // The cast is true: only what is accepted is looked into.
    const action = value as { readonly type?: unknown };
    const type: AnyOptionTable = { type: required(ACTION_TYPE) };
    const table = ACTION_TYPE.accepts(action.type) ? { ...type, ...ACTIONS[action.type as ActionType] } : undefined;
    const looked = table === undefined ? { type: action.type } : action;
    const prefix = path === "" ? "" : `${path}.`;
    return findOptionProblems(table ?? type, looked, { path: prefix }).map(({ text: problem }) => problem);
  },
};

const USAGE: OptionTable<Partial<Usage>> = {
  inputTokens: amount,
  outputTokens: amount,
  cacheReadTokens: amount,
  cacheWriteTokens: amount,
  costUsd: amount,
};

const REPLY: OptionTable<FullReply> = {
  delayMs: amount,
  thinking: text,
  actions: listOf(ACTION, "a list of actions"),
  text,
  structured: anything,
  error: {
    expected: "an Error",
    accepts: (value) => value instanceof Error,
    advise: (value) => (typeof value === "string" ? `write new Error(${JSON.stringify(value)})` : undefined),
  },
  usage: shape(USAGE),
};

/** A reply of the scripted agent. */
export const scriptedReply: OptionCheck = either(text, {
  ...shape(REPLY),
  expected: "an object such as { text, structured, actions, error }",
});

/** A script, or a test, has the scripted agent do something that it cannot do. */
export class ScriptedReplyError extends AtomicError {
  readonly isRetryable = false;

  constructor(
    /** What is wrong, for example `The reply for the node "write"`. */
    subject: string,
    /** All problems, each as the rest of a sentence that begins with the subject. */
    readonly problems: readonly string[],
  ) {
    const sentence = `${subject} ${problems.join("; it ")}`;
    super("SCRIPTED_REPLY_INVALID", sentence.endsWith("?") ? sentence : `${sentence}.`);
  }
}

/** @throws ScriptedReplyError for what is no reply */
export function assertReply(reply: unknown, nodeId?: string): asserts reply is ScriptedReply {
  const problems = replyProblems(reply);
  if (problems.length === 0) return;
  const whose = nodeId === undefined ? "of the scripted agent" : `for the node "${nodeId}"`;
  throw new ScriptedReplyError(`The reply ${whose}`, problems);
}

function replyProblems(reply: unknown): readonly string[] {
  if (typeof reply === "string") return [];
  if (!object.accepts(reply)) return [`is ${showValue(reply)}; it must be ${scriptedReply.expected}`];
  // The cast is true: what is accepted is an object.
  return findOptionProblems(REPLY, reply as object).map(({ text: problem }) => problem);
}

/** @throws ScriptedReplyError for what is no action */
export function assertAction(action: unknown): asserts action is ScriptedAction {
  if (!ACTION.accepts(action)) {
    throw new ScriptedReplyError("The action of a script", [`is ${showValue(action)}; it must be ${ACTION.expected}`]);
  }
  const problems = ACTION.inside?.(action, "") ?? [];
  if (problems.length > 0) throw new ScriptedReplyError("The action of a script", problems);
}
