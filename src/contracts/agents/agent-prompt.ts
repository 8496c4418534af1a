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
