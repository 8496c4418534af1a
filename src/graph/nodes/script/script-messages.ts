import { isRecord, isText } from "../../../contracts/index.ts";
import type { ThrownParts } from "./script-prelude.ts";

/** A number that stands for a value or a function that stays in the script's process. */
export type Handle = number;

/** An element of a list that a script passed to `parallel` or `pipeline`. */
export type Element =
  | { readonly type: "work"; readonly handle: Handle }
  | { readonly type: "value"; readonly handle: Handle }
  | { readonly type: "promise" }
  /** Something else as JSON, for an error. */
  | { readonly type: "other"; readonly json?: string };

/** What the process of a script is given, one per line. `spent` are the tokens that the run's agents have spent. */
export type ScriptMessage = (
  | {
      readonly type: "start";
      readonly path: string;
      readonly body: string;
      readonly prelude: string;
      readonly args: string | undefined;
      readonly total: number | null;
    }
  | { readonly type: "answer"; readonly id: number; readonly json: string | undefined }
  | { readonly type: "reject"; readonly id: number; readonly message: string; readonly code: string | undefined }
  | { readonly type: "forked"; readonly id: number; readonly results: readonly (Handle | null)[] }
  | {
      readonly type: "invoke";
      readonly id: number;
      /** The branch that the function's calls belong to. */
      readonly branch: number;
      readonly work: Handle;
      readonly values: readonly { readonly handle?: Handle; readonly plain?: number | null }[];
    }
) & { readonly spent: number };

/** The functions whose arguments and results are JSON. */
export const CALL_NAMES = ["agent", "shell", "ask", "workflow"] as const;

/** What the process of a script says. */
export type ScriptSaying =
  | {
      readonly type: "call";
      readonly id: number;
      readonly branch: number;
      readonly name: (typeof CALL_NAMES)[number];
      /** A list. */
      readonly args: readonly unknown[];
    }
  | {
      readonly type: "fork";
      readonly id: number;
      readonly branch: number;
      readonly name: "parallel" | "pipeline";
      readonly list: readonly Element[] | Element;
      readonly stages: readonly Element[];
    }
  | { readonly type: "phase"; readonly branch: number; readonly text: string }
  | { readonly type: "log"; readonly text: string }
  | { readonly type: "returned"; readonly id: number; readonly handle: Handle }
  | { readonly type: "threw"; readonly id: number; readonly thrown: ThrownParts }
  | { readonly type: "done"; readonly json: string | undefined }
  | { readonly type: "failed"; readonly thrown: ThrownParts };

/** What the process says in one turn of its event loop. */
export interface ScriptTurn {
  /** How many messages it has worked off. */
  readonly count: number;
  readonly said: readonly ScriptSaying[];
}

/**
 * Reads a line of the process. It is not trusted: its script may have left its context.
 * @throws SyntaxError, TypeError for a line that the program does not write
 */
export function parseTurn(line: string): ScriptTurn {
  const turn: unknown = JSON.parse(line);
  if (!isRecord(turn) || !isCount(turn.count) || !Array.isArray(turn.said)) throw new TypeError("It is no turn.");
  return { count: turn.count, said: turn.said.map(parseSaying) };
}

function parseSaying(said: unknown): ScriptSaying {
  if (isRecord(said)) {
    const { type, id, branch, name, text, json, handle } = said;
    if (type === "call" && isCount(id) && isCount(branch) && isText(said.args)) {
      const args: unknown = JSON.parse(said.args);
      const known = CALL_NAMES.find((one) => one === name);
      if (known !== undefined && Array.isArray(args)) return { type, id, branch, name: known, args };
    }
    if (type === "fork" && isCount(id) && isCount(branch) && (name === "parallel" || name === "pipeline")) {
      const list = Array.isArray(said.list) ? said.list.map(parseElement) : parseElement(said.list);
      if (Array.isArray(said.stages)) return { type, id, branch, name, list, stages: said.stages.map(parseElement) };
    }
    if (type === "phase" && isCount(branch) && isText(text)) return { type, branch, text };
    if (type === "log" && isText(text)) return { type, text };
    if (type === "returned" && isCount(id) && isCount(handle)) return { type, id, handle };
    if (type === "threw" && isCount(id)) return { type, id, thrown: parseThrown(said.thrown) };
    if (type === "failed") return { type, thrown: parseThrown(said.thrown) };
    if (type === "done" && (json === undefined || isText(json))) return { type, json };
  }
  throw new TypeError("It says something unknown.");
}

function parseElement(element: unknown): Element {
  if (isRecord(element)) {
    const { type, handle, json } = element;
    if ((type === "work" || type === "value") && isCount(handle)) return { type, handle };
    if (type === "promise") return { type };
    if (type === "other" && isText(json)) return { type, json };
    if (type === "other" && json === undefined) return { type };
  }
  throw new TypeError("It passes something unknown.");
}

function parseThrown(thrown: unknown): ThrownParts {
  const { isError, message, name, stack, code } = isRecord(thrown) ? thrown : {};
  const textOf = (value: unknown): string | undefined => (isText(value) ? cut(value) : undefined);
  return {
    isError: isError === true,
    message: textOf(message) ?? "something without a text",
    name: textOf(name),
    stack: textOf(stack),
    code: textOf(code),
  };
}

/** The longest text of an error, in characters. */
const MAX_ERROR_LENGTH = 10_000;

function cut(text: string): string {
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
