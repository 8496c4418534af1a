import { z } from "zod";
import { setting } from "./setting-meta.ts";

const keySchema = z.union([z.string().min(1), z.array(z.string().min(1))]);

/** A setting of the mouse that is on by default. */
function mouseSwitch(description: string) {
  return z
    .boolean()
    .meta(setting({ description, default: true, example: false }))
    .exactOptional();
}

/** The setting `ui`: how the chat looks and which keys it has. */
export const uiSchema = z
  .strictObject({
    mode: z
      .enum(["full", "inline", "plain"])
      .meta(
        setting({
          description: "The whole screen, the lines below the prompt, or lines of text only.",
          defaultText: "full where the terminal can, else plain",
          example: "inline",
          variable: "ATOMIC_UI_MODE",
          flag: "--full, --inline, --plain",
        }),
      )
      .exactOptional(),
    theme: z
      .string()
      .min(1)
      .meta(
        setting({
          description: "The name of a theme, or auto: by the background of the terminal.",
          default: "auto",
          example: "light",
          variable: "ATOMIC_UI_THEME",
        }),
      )
      .exactOptional(),
    themes: z
      .array(z.record(z.string(), z.json()))
      .meta(
        setting({
          description: "Themes of your own. A project's are added to yours.",
          default: [],
          example: [{ name: "paper", appearance: "light" }],
        }),
      )
      .exactOptional(),
    keys: z
      .record(z.string(), keySchema)
      .meta(setting({ description: "Keys by action.", default: {}, example: { transcript: ["ctrl+o", "f2"] } }))
      .exactOptional(),
    mouse: z
      .strictObject({
        wheel: mouseSwitch("The wheel scrolls, and a click chooses a row of a list."),
        selection: mouseSwitch("Selecting text copies it."),
        rightClick: mouseSwitch("The right button pastes."),
      })
      .meta({ description: "What the mouse does." })
      .exactOptional(),
    reducedMotion: z
      .boolean()
      .meta(
        setting({ description: "No animation.", default: false, example: true, variable: "ATOMIC_UI_REDUCED_MOTION" }),
      )
      .exactOptional(),
    vi: z
      .boolean()
      .meta(setting({ description: "vi keys in the input.", default: false, example: true }))
      .exactOptional(),
    statusLine: z
      .strictObject({
        command: z
          .string()
          .min(1)
          .meta(
            setting({
              description: "A command whose first line is shown at the bottom.",
              defaultText: "none",
              example: "~/bin/status",
              userOnly: true,
            }),
          ),
      })
      .meta({ description: "The line at the bottom." })
      .exactOptional(),
  })
  .meta({ description: "How the chat looks and which keys it has." });

/** How the chat looks and which keys it has. */
export type UiSettings = z.infer<typeof uiSchema>;
