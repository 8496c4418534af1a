/** A server-sent event. */
export interface ServerSentEvent {
  /** The name, when it has one. */
  readonly event?: string;
  /** The parsed JSON of the data, or its text when it is none. */
  readonly data: unknown;
}

/** Reads a whole event stream; what follows the last blank line is not an event yet. */
export function parseEventStream(text: string): readonly ServerSentEvent[] {
  return text.split("\n\n").slice(0, -1).map(parseEvent);
}

function parseEvent(block: string): ServerSentEvent {
  const fields = new Map(block.split("\n").map((line) => splitField(line)));
  const data = parseData(fields.get("data") ?? "");
  const event = fields.get("event");
  return event === undefined ? { data } : { event, data };
}

function splitField(line: string): readonly [string, string] {
  const colon = line.indexOf(": ");
  return [line.slice(0, colon), line.slice(colon + 2)];
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
