import { describeTooLong } from "../../view/index.ts";

/** What a question accepts. */
export interface QuestionShape {
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  /** Whether several options may be chosen. */
  readonly isMultiple: boolean;
  /** Whether a text of the person's own is an answer. */
  readonly acceptsText: boolean;
  /** Whether that text must be a number. @default false */
  readonly isNumber?: boolean;
}

/** What the person did so far. */
export interface QuestionState {
  /** The row under the pointer: an option, or after the last one the person's own text. */
  readonly index: number;
  /** The chosen options, where several may be chosen. */
  readonly chosen: readonly number[];
  readonly text: string;
  /** Why the last key did not answer. */
  readonly problem: string | undefined;
}

/** What a key does. */
export type QuestionAction =
  | { readonly type: "move"; readonly by: number }
  | { readonly type: "toggle" }
  /** A number key: it chooses the option, and answers unless several may be chosen. */
  | { readonly type: "number"; readonly number: number }
  /** The text changed; the pointer is on it then. */
  | { readonly type: "type"; readonly text: string }
  | { readonly type: "submit" };

/** A state, and the answer when the action was one. */
export interface QuestionStep {
  readonly state: QuestionState;
  readonly values?: readonly string[];
}

/** Nothing is chosen, and the first row is under the pointer. */
export const OPEN_QUESTION: QuestionState = { index: 0, chosen: [], text: "", problem: undefined };

/** The state in which a person gave an answer, for them to change it. */
export function reopenQuestion(values: readonly string[], { options, isMultiple }: QuestionShape): QuestionState {
  const indexes = values.map((value) => options.findIndex(({ label }) => label === value));
  const chosen = indexes.filter((index) => index !== -1);
  const text = values.find((_value, place) => indexes[place] === -1) ?? "";
  const index = text === "" ? (chosen[0] ?? 0) : options.length;
  return { index, chosen: isMultiple ? chosen : [], text, problem: undefined };
}

/** The state after an action. Pure. */
export function reduceQuestion(
  before: QuestionState,
  { action, shape }: { readonly action: QuestionAction; readonly shape: QuestionShape },
): QuestionStep {
  const state = { ...before, problem: undefined };
  const last = shape.options.length - (shape.acceptsText ? 0 : 1);
  switch (action.type) {
    case "move":
      return { state: { ...state, index: Math.max(0, Math.min(last, state.index + action.by)) } };
    case "toggle":
      return { state: shape.isMultiple ? toggle(state, { index: state.index, shape }) : state };
    case "number":
      return chooseNumber(state, { index: action.number - 1, shape });
    case "type":
      return { state: { ...state, index: shape.options.length, text: action.text } };
    case "submit":
      return submit(state, shape);
  }
}

/** Whether the pointer is on the person's own text. */
export function isOnText({ index }: QuestionState, { options, acceptsText }: QuestionShape): boolean {
  return acceptsText && index >= options.length;
}

interface OptionPlace {
  readonly index: number;
  readonly shape: QuestionShape;
}

function toggle(state: QuestionState, { index, shape }: OptionPlace): QuestionState {
  if (index >= shape.options.length) return state;
  const isChosen = state.chosen.includes(index);
  const chosen = isChosen ? state.chosen.filter((other) => other !== index) : [...state.chosen, index];
  return { ...state, index, chosen: chosen.toSorted((one, other) => one - other) };
}

function chooseNumber(state: QuestionState, { index, shape }: OptionPlace): QuestionStep {
  const option = shape.options[index];
  if (option === undefined) {
    const isText = shape.acceptsText && index === shape.options.length;
    return { state: isText ? { ...state, index } : state };
  }
  if (shape.isMultiple) return { state: toggle(state, { index, shape }) };
  return { state: { ...state, index }, values: [option.label] };
}

function submit(state: QuestionState, shape: QuestionShape): QuestionStep {
  const { options, isMultiple } = shape;
  const text = state.text.trim();
  const chosen = state.chosen.flatMap((index) => options[index]?.label ?? []);
  const tooLong = describeTooLong(text);
  if (tooLong !== undefined && (isOnText(state, shape) || isMultiple)) return { state: { ...state, problem: tooLong } };
  if (isOnText(state, shape)) {
    if (shape.isNumber === true && text !== "" && !Number.isFinite(Number(text)))
      return { state: { ...state, problem: "Type a number." } };
    if (text !== "") return { state, values: [...chosen, text] };
    if (chosen.length > 0) return { state, values: chosen };
    return { state: { ...state, problem: "Type an answer first." } };
  }
  const option = options[state.index];
  if (isMultiple) {
    if (chosen.length > 0) return { state, values: text === "" ? chosen : [...chosen, text] };
    return { state: { ...state, problem: "Choose with space first." } };
  }
  return option === undefined ? { state } : { state, values: [option.label] };
}
