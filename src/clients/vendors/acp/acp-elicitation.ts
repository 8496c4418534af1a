import {
  type AgentQuestion,
  type AgentQuestionAnswer,
  type AgentQuestionOption,
  type Json,
  type JsonObject,
  recordOf,
  recordsOf,
  stringOf,
  type UnknownRecord,
} from "../../../contracts/index.ts";

/** A form field as a question. */
export interface AcpFormField {
  readonly name: string;
  readonly type: string;
  readonly question: AgentQuestion;
  /** The form's values by label, where they differ. */
  readonly values: ReadonlyMap<string, string>;
  /** The field for an answer other than the options. */
  readonly otherField?: string;
}

/** The answer to a form, as ACP defines it. */
export type AcpFormAnswer =
  | { readonly action: "accept"; readonly content: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** Reads the fields of an `elicitation/create`; undefined unless it is a form that questions can express. Pure. */
export function toFormFields(
  rawParams: unknown,
  { sessionId, requestId }: { readonly sessionId: string; readonly requestId: string },
): readonly AcpFormField[] {
  const params = recordOf(rawParams);
  const properties = Object.entries(recordOf(recordOf(params.requestedSchema).properties));
  if (params.mode !== undefined && params.mode !== "form") return [];
  const names = new Set(properties.map(([name]) => name));
  // A free-text field that belongs to a choice is not a separate question.
  const isOther = (name: string) => name.endsWith("_custom") && names.has(name.slice(0, -"_custom".length));
  const asked = properties.filter(([name]) => !isOther(name));
  return asked.map(([name, rawProperty]) => {
    const property = recordOf(rawProperty);
    const { options, values, isMultiple } = readOptions(property);
    const title = stringOf(property.title);
    const message = stringOf(params.message);
    const own = stringOf(property.description) || title;
    const isSingle = asked.length === 1;
    const question = (isSingle && message !== "" ? message : own) || message || name;
    return {
      name,
      type: stringOf(property.type) || "string",
      values,
      question: {
        id: asked.length === 1 ? requestId : `${requestId}/${name}`,
        sessionId,
        question,
        ...(title !== "" && title !== question ? { header: title } : {}),
        options,
        isMultiple,
      },
      ...(names.has(`${name}_custom`) ? { otherField: `${name}_custom` } : {}),
    };
  });
}

/** Fills the form in. A declined question declines the form. Pure. */
export function toFormAnswer(
  answers: readonly { readonly field: AcpFormField; readonly answer: AgentQuestionAnswer }[],
): AcpFormAnswer {
  const content: Record<string, Json> = {};
  for (const { field, answer } of answers) {
    if (answer.type === "decline") return { action: "decline" };
    Object.assign(content, fillField(field, answer.values));
  }
  return { action: "accept", content };
}

function fillField(field: AcpFormField, given: readonly string[]): JsonObject {
  const { name, values, otherField } = field;
  const isOwn = (value: string) => values.size > 0 && !values.has(value);
  const chosen = given.filter((value) => otherField === undefined || !isOwn(value));
  const other = otherField === undefined ? [] : given.filter(isOwn);
  const mapped = chosen.map((value) => values.get(value) ?? value);
  const [first] = mapped;
  return {
    ...(otherField !== undefined && other.length > 0 ? { [otherField]: other.join(", ") } : {}),
    ...(field.type === "array"
      ? { [name]: mapped }
      : first === undefined
        ? {}
        : { [name]: toValue(field.type, first) }),
  };
}

function toValue(type: string, text: string): Json {
  if (type === "boolean") return /^(?:yes|true|y|1)$/i.test(text);
  const isNumber = type === "number" || type === "integer";
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
}

function readOptions(property: UnknownRecord): {
  readonly options: readonly AgentQuestionOption[];
  readonly values: ReadonlyMap<string, string>;
  readonly isMultiple: boolean;
} {
  const isMultiple = property.type === "array";
  const source = isMultiple ? recordOf(property.items) : property;
  if (property.type === "boolean") {
    const options = [{ label: "Yes" }, { label: "No" }];
    return {
      options,
      values: new Map([
        ["Yes", "true"],
        ["No", "false"],
      ]),
      isMultiple: false,
    };
  }
  const titled = [...recordsOf(source.oneOf), ...recordsOf(source.anyOf)];
  const plain = Array.isArray(source.enum) ? source.enum.filter((item) => typeof item === "string") : [];
  const entries = [
    ...titled.map((item) => ({
      label: stringOf(item.title) || stringOf(item.const),
      value: stringOf(item.const),
      description: stringOf(item.description),
    })),
    ...plain.map((value) => ({ label: value, value, description: "" })),
  ];
  return {
    options: entries.map(({ label, description }) => ({ label, ...(description === "" ? {} : { description }) })),
    values: new Map(entries.map(({ label, value }) => [label, value])),
    isMultiple,
  };
}
