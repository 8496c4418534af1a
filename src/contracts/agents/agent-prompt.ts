/** A piece of a message to an agent. */
export type PromptPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      /** For example `image/png`. */
      readonly mimeType: string;
      /** The picture's bytes in base64. */
      readonly data: string;
    }
  /** A file that the agent is pointed at; it reads it under its own permissions. */
  | { readonly type: "file" /** Absolute, or relative to the working directory. */; readonly path: string };

/** A message to an agent: a text, or several pieces. */
export type AgentPrompt = string | readonly PromptPart[];

/** The pieces of a message. */
export function promptPartsOf(prompt: AgentPrompt): readonly PromptPart[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
}

/** A message as one text, files as `@path`, the way the vendors' own programs write them. Images are left out. */
export function promptTextOf(prompt: AgentPrompt): string {
  if (typeof prompt === "string") return prompt;
  return prompt
    .map(textOfPart)
    .filter((text) => text !== undefined)
    .join("\n");
}

function textOfPart(part: PromptPart): string | undefined {
  switch (part.type) {
    case "text":
      return part.text;
    case "file":
      return `@${part.path}`;
    case "image":
      return undefined;
  }
}

/** What a terminal or an agent could take for the end of a line, or for a command. */
const CONTROLS = /[\p{Control}\u2028\u2029]/gu;

/**
 * A file in the text of a message: `@src/cart.ts`. A path with line breaks or other control characters is quoted with escapes, as
 * in JSON, so that no part of it looks like another line of the message.
 */
export function mentionOf(path: string): string {
  if (path.search(CONTROLS) === -1) return `@${path}`;
  const escapeControl = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `@${JSON.stringify(path).replace(CONTROLS, escapeControl)}`;
}
