import { isGraphCode } from "../compile/graph-code.ts";
import type { NodeResult, SignalData, SubgraphEntry } from "../model/node-definition.ts";
import { request } from "../model/request-options.ts";
import { type AnyOptionTable, listOf, type OptionTable, shape } from "../options/find-option-problems.ts";
import {
  anything,
  described,
  either,
  fields,
  fraction,
  type OptionCheck,
  object,
  oneOf,
  required,
  text,
  yesOrNo,
} from "../options/option-checks.ts";

type SignalOf<Type extends SignalData["type"]> = Omit<Extract<SignalData, { type: Type }>, "type">;

/** The fields of each signal; typed so that it lists every signal. */
const SIGNALS: { readonly [Type in SignalData["type"]]: OptionTable<SignalOf<Type>> } = {
  checkpoint: { label: required(text) },
  human_input_required: { prompt: required(text) },
  context_window_warning: {
    usage: fraction,
    action: oneOf(["summarize", "recreate", "warn"]),
    session: text,
  },
  debug_report_generated: { report: required(object) },
};

const signal: OptionCheck = {
  expected: 'an object with a type, for example { type: "checkpoint", label: "planned" }',
  accepts: object.accepts,
  inside(value, path) {
    // The cast is true: only what is accepted is looked into.
    const { type } = value as { readonly type?: unknown };
    const known: Readonly<Record<string, AnyOptionTable>> = SIGNALS;
    const isKnown = typeof type === "string" && Object.hasOwn(known, type);
    const own = isKnown ? known[type] : { type: required(oneOf(Object.keys(known))) };
    return shape(own ?? {}, { isOpen: true }).inside?.(value, path) ?? [];
  },
};

const ENTRY_OPTIONS: OptionTable<SubgraphEntry> = {
  code: required({ expected: "the code of a compiled graph", accepts: isGraphCode }),
  input: required(fields),
  name: text,
  config: object,
};

/** The keys that a node can return, and what each must be; typed so that it lists every field of the type. */
export const RESULT_CHECKS: Readonly<Record<keyof NodeResult, OptionCheck>> = {
  stateUpdate: { ...fields, accepts: (value) => value === null || fields.accepts(value) },
  goto: described(either(text, listOf(text, "a list of ids")), "the id of a node, or a list of ids"),
  signals: listOf(signal, "a list of signals"),
  isPassed: yesOrNo,
  request,
  // Its duration is checked when the sleep is planned.
  sleep: anything,
  enter: shape(ENTRY_OPTIONS, { expected: "what a subgraphNode returns", isOpen: true }),
};
