/** The longest value in a message, in characters. */
const MAX_SHOWN = 60;

/** Formats any value for a message, shortened. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(cut(value));
    case "function":
      return "a function";
    case "symbol":
      return "a symbol";
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null ? "null" : showObject(value);
    default:
      return String(value);
  }
}

function showObject(value: object): string {
  const name: unknown = value.constructor?.name;
  if (typeof name === "string" && name !== "Object" && name !== "Array") {
    // A state has dates, maps and sets of its own.
    const known = name.replace(/^Owned(?=(?:Date|Map|Set)$)/, "");
    return `${articleOf(known)} ${known}`;
  }
  try {
    return cut(JSON.stringify(value));
  } catch {
    // It contains a cycle, or a value that JSON cannot represent.
    return Array.isArray(value) ? "a list" : "an object";
  }
}

/** The indefinite article of a name. */
export function articleOf(name: string): "a" | "an" {
  return /^[aeiou]/i.test(name) ? "an" : "a";
}

function cut(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
