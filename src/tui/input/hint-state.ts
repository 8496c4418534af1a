import { parseCommandInput } from "../../contracts/index.ts";

/** Which help the input shows for a slash command: the states of the design document's hint state machine. */
export type HintState =
  /** No help. `isDismissed` after Escape: it stays away until the next `/`. */
  | { readonly type: "idle"; readonly isDismissed: boolean }
  | { readonly type: "showing-suggestions"; readonly query: string }
  | { readonly type: "showing-hint"; readonly commandName: string }
  | { readonly type: "typing-args"; readonly commandName: string };

/** What changes the {@link HintState}. */
export type HintEvent =
  /** The text changed by typing, deleting or pasting. */
  | { readonly type: "edit"; readonly text: string; readonly isCommand: (name: string) => boolean }
  /** Tab completed a suggestion. */
  | { readonly type: "complete"; readonly commandName: string }
  /** The command was executed, or the text was replaced as a whole. */
  | { readonly type: "reset" }
  | { readonly type: "escape" };

/** Before the first key. */
export const IDLE_HINT: HintState = { type: "idle", isDismissed: false };

/** The state after an event. */
export function reduceHint(state: HintState, event: HintEvent): HintState {
  switch (event.type) {
    case "complete":
      return { type: "showing-hint", commandName: event.commandName };
    case "reset":
      return IDLE_HINT;
    case "escape":
      // Escape is no key of TYPING_ARGS, where nothing is shown that it could close.
      return state.type === "typing-args" ? state : { type: "idle", isDismissed: true };
    case "edit":
      return afterEdit(state, event);
  }
}

function afterEdit(state: HintState, { text, isCommand }: Extract<HintEvent, { type: "edit" }>): HintState {
  if (!text.startsWith("/")) return IDLE_HINT;
  if (text === "/") return { type: "showing-suggestions", query: "" };
  if (state.type === "idle" && state.isDismissed) return state;
  const { commandName, hasArgs } = parseCommandInput(text);
  const isNameOnly = text === `/${commandName}`;
  // A path such as `/usr/bin`.
  if (commandName.includes("/") && !isCommand(commandName)) return IDLE_HINT;
  if (!isCommand(commandName)) {
    return isNameOnly ? { type: "showing-suggestions", query: commandName } : IDLE_HINT;
  }
  if (hasArgs) return { type: "typing-args", commandName };
  const hadHint = state.type === "showing-hint" || state.type === "typing-args";
  if (isNameOnly && !hadHint) return { type: "showing-suggestions", query: commandName };
  return { type: "showing-hint", commandName };
}
