import { z } from "zod";

const keySchema = z.union([z.string().min(1), z.array(z.string().min(1))]);

/** The setting `ui`: how the chat looks and which keys it has. */
export const uiSchema = z.strictObject({
  /** The whole screen, the lines below the prompt, or lines of text only. @default "full" where the terminal can */
  mode: z.enum(["full", "inline", "plain"]).exactOptional(),
  /** The name of a theme, or `auto`: by the background of the terminal. @default "auto" */
  theme: z.string().min(1).exactOptional(),
  /** Themes of the user's own. */
  themes: z.array(z.record(z.string(), z.json())).exactOptional(),
  /** Keys by action, such as `"transcript": ["ctrl+o", "f2"]`. */
  keys: z.record(z.string(), keySchema).exactOptional(),
  mouse: z
    .strictObject({
      /** @default true */
      wheel: z.boolean().exactOptional(),
      /** Whether selecting text copies it. @default true */
      selection: z.boolean().exactOptional(),
      /** @default true */
      rightClick: z.boolean().exactOptional(),
    })
    .exactOptional(),
  /** No animation. @default false */
  reducedMotion: z.boolean().exactOptional(),
  /** vi keys in the input. @default false */
  vi: z.boolean().exactOptional(),
  /** A command whose first line is shown at the bottom. Only the user's own settings may set this. */
  statusLine: z.strictObject({ command: z.string().min(1) }).exactOptional(),
});

/** How the chat looks and which keys it has. */
export type UiSettings = z.infer<typeof uiSchema>;
