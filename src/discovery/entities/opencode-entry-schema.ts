import { z } from "zod";
import { MAX_NAME_LENGTH } from "./definition-fields.ts";
import type { EntityType } from "./entity.ts";

/** A fault in an entry of OpenCode's configuration. */
export interface EntryFault {
  /** The keys that lead to it, from the entry on. */
  readonly place: readonly string[];
  /** Continues the name of the place. */
  readonly message: string;
}

const text = z.string("must be a text");
const number = z.number("must be a number");
const flag = z.boolean("must be true or false");
const table = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value, "must be an object");

const ACTION = z.enum(["ask", "allow", "deny"], 'must be "ask", "allow" or "deny"');
const RULE = z.union([ACTION, table(ACTION)], 'must be "ask", "allow" or "deny", or an object of them');

/** What OpenCode 1 accepts; of fields that it does not have here, it makes options of the model. */
const AGENT = z.object(
  {
    model: text.optional(),
    variant: text.optional(),
    temperature: number.optional(),
    top_p: number.optional(),
    prompt: text.optional(),
    tools: table(flag).optional(),
    disable: flag.optional(),
    description: text.optional(),
    mode: z.enum(["subagent", "primary", "all"], 'must be "subagent", "primary" or "all"').optional(),
    hidden: flag.optional(),
    options: table(z.unknown()).optional(),
    color: text.optional(),
    steps: number.optional(),
    maxSteps: number.optional(),
    permission: z
      .union([ACTION, table(RULE)], 'must be "ask", "allow" or "deny", or an object of one of them for each tool')
      .optional(),
  },
  "must be an object",
);

const COMMAND = z.object(
  {
    template: text,
    description: text.optional(),
    agent: text.optional(),
    model: text.optional(),
    variant: text.optional(),
    subtask: flag.optional(),
  },
  "must be an object",
);

/** Where an entry differs from what OpenCode accepts, which rejects the whole file for it. Pure. */
export function faultsOfEntry(type: EntityType, value: unknown): readonly EntryFault[] {
  const { error } = (type === "command" ? COMMAND : AGENT).safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => ({ place: path.map(String), message }));
}

/** Whether an entry is there only to switch off an agent. */
export function isDisabled({ disable, enabled }: Readonly<Record<string, unknown>>): boolean {
  return disable === true || enabled === false;
}

/** A name with a line break must not look like a line of its own. */
export function nameOfPlace(place: readonly string[]): string {
  const shorten = (part: string): string => (part.length > MAX_NAME_LENGTH ? `${part.slice(0, 60)}…` : part);
  return place.map(shorten).join(".").replace(/\s+/g, " ");
}
