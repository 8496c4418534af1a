import { z } from "zod";
import { isRecord, type JsonSchema, messageOf, nearestName } from "../../contracts/index.ts";

/** Returns what is wrong with a value; an empty list if it matches. */
export type CheckValue = (value: unknown) => readonly string[];

/** Compiles a JSON Schema. Rejects if the schema is broken. */
export type CompileSchema = (schema: JsonSchema) => Promise<CheckValue>;

/** Arguments that match, or what is wrong with them. */
export type ReadArguments =
  | { readonly type: "valid"; readonly value: unknown }
  | { readonly type: "invalid"; readonly problems: readonly string[] };

/** The arguments of a tool: their description for agents, and how they are checked. */
export interface ArgumentsReader {
  readonly type: "usable";
  readonly inputSchema: JsonSchema;
  read(input: unknown): Promise<ReadArguments>;
}

/** Why the description of a tool's arguments cannot be used. */
export interface UnusableArguments {
  readonly type: "unusable";
  readonly message: string;
  readonly remedy: string;
}

const REMEDY = "Describe each argument with zod, for example: args: { path: tool.schema.string() }.";

/** Reads the `args` of a tool, which can be anything that a file exports. Never rejects. */
export async function readToolArguments(
  args: unknown,
  compileSchema: CompileSchema,
): Promise<ArgumentsReader | UnusableArguments> {
  if (args === undefined) return await fromZod(z.object({}));
  if (!isRecord(args)) return unusable("are not an object", REMEDY);
  if (isZod(args)) return await fromZod(args);
  const values = Object.entries(args);
  const foreign = [["args", args] as const, ...values].find(([, value]) => isOldZod(value));
  if (foreign !== undefined) {
    return unusable(
      `use a schema of an older zod (${foreign[0]})`,
      'Take zod 4 from Atomic: import { z } from "zod", or tool.schema.',
    );
  }
  const shape = values.flatMap(([name, value]) => (isZod(value) ? [[name, value] as const] : []));
  if (shape.length === values.length) return await fromZod(z.object(Object.fromEntries(shape)));
  if (args.type === "object") return await fromJsonSchema(args, compileSchema);
  const [odd] = values.find(([, value]) => !isZod(value)) ?? [""];
  return unusable(
    shape.length > 0
      ? `have no zod schema for "${odd}"`
      : 'are neither zod schemas nor a JSON Schema of the type "object"',
    REMEDY,
  );
}

/** Schemas are recognised by their shape, because a package of the project can bring its own copy of zod 4. */
function isZod(value: unknown): value is z.ZodType {
  return isRecord(value) && "_zod" in value && "~standard" in value;
}

function isOldZod(value: unknown): boolean {
  return isRecord(value) && "_def" in value && !("_zod" in value);
}

async function fromZod(schema: z.ZodType): Promise<ArgumentsReader | UnusableArguments> {
  let description: JsonSchema;
  try {
    description = z.toJSONSchema(schema, { io: "input" });
  } catch (error) {
    return unusable(
      `have no JSON form: ${messageOf(error).replace(/\.$/, "")}`,
      "Agents send JSON: use strings, numbers, booleans, lists and objects.",
    );
  }
  const { $schema: _, ...open } = description;
  if (open.type !== "object") return unusable("are not an object", REMEDY);
  const inputSchema = isRenaming(schema) ? open : { additionalProperties: false, ...open };
  return {
    type: "usable",
    inputSchema,
    async read(input) {
      const unknown = findUnknown(input, inputSchema);
      const result = await schema.safeParseAsync(input ?? {});
      if (result.success && unknown.length === 0) return { type: "valid", value: result.data };
      const issues = result.error?.issues.filter((issue) => !isUnknownArgument(issue)) ?? [];
      return { type: "invalid", problems: [...unknown, ...issues.map(formatIssue)] };
    },
  };
}

/** Whether arguments are changed before they are checked, such as by `z.preprocess`: their names are not known then. */
function isRenaming({ _zod: { def } }: z.core.$ZodType): boolean {
  if ("innerType" in def) return isRenaming(def.innerType as z.core.$ZodType); // The cast is true: zod's name for it.
  if (def.type !== "pipe") return false;
  const { in: first } = def as z.core.$ZodPipeDef; // The cast is true: this is its type.
  return first._zod.def.type === "transform" || isRenaming(first);
}

/** What is wrong with arguments that a closed schema does not have. zod itself would drop them, and a typing error with them. */
function findUnknown(input: unknown, { properties, additionalProperties }: JsonSchema): readonly string[] {
  if (additionalProperties !== false || !isRecord(input)) return [];
  const known = Object.keys(isRecord(properties) ? properties : {});
  return Object.keys(input)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      const others = known.length === 0 ? "It takes none." : `Known arguments: ${known.join(", ")}.`;
      return `Unknown argument "${name}". ${nearest === undefined ? others : `Did you mean "${nearest}"?`}`;
    });
}

function isUnknownArgument({ code, path }: z.core.$ZodIssue): boolean {
  return code === "unrecognized_keys" && path.length === 0;
}

function formatIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
}

async function fromJsonSchema(
  inputSchema: JsonSchema,
  compileSchema: CompileSchema,
): Promise<ArgumentsReader | UnusableArguments> {
  try {
    const check = await compileSchema(inputSchema);
    return {
      type: "usable",
      inputSchema,
      async read(input) {
        const value = input ?? {};
        const problems = check(value);
        return problems.length === 0 ? { type: "valid", value } : { type: "invalid", problems };
      },
    };
  } catch (error) {
    return unusable(`have a broken JSON Schema: ${messageOf(error)}`, "Correct the schema.");
  }
}

function unusable(what: string, remedy: string): UnusableArguments {
  return { type: "unusable", message: `The arguments ${what}`, remedy };
}
