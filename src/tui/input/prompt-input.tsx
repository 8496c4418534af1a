import { decodePasteBytes, type PasteEvent } from "@opentui/core";
import { usePaste, useRenderer } from "@opentui/react";
import { useRef, useSyncExternalStore } from "react";
import { messageOf, parseCommandInput } from "../../contracts/index.ts";
import type { Attachment } from "../chat/chat-state.ts";
import type { CommandRegistry } from "../commands/command-registry.ts";
import type { KeyHandler } from "../keys/key-layers.ts";
import { type UiServices, useKeys, useUi } from "../ui/ui-context.ts";
import { useScreenSize } from "../ui/use-screen-size.ts";
import { attachImage } from "./attachments.ts";
import { missingHint } from "./missing-hint.ts";
import { pasteText } from "./paste-text.ts";
import { pastedImagePath } from "./pasted-image-path.ts";
import { actionOf, type PromptSituation } from "./prompt-action.ts";
import { PromptField } from "./prompt-field.tsx";
import { rowCountOf } from "./prompt-list.ts";
import type { PromptState, PromptStore } from "./prompt-store.ts";
import { QueuedLines } from "./queued-lines.tsx";
import { chooseRow, type PromptEnvironment, runPromptAction } from "./run-prompt-action.ts";
import { SuggestionList } from "./suggestion-list.tsx";
import type { TextEditor } from "./text-editor.ts";

/** Properties of {@link PromptInput}. */
export interface PromptInputProps {
  /** Whether it receives keys: no dialog covers it. */
  readonly isFocused: boolean;
  /** The draft, from `usePromptStore` of a component that outlives the input. */
  readonly store: PromptStore;
  /**
   * Called with the whole text, labels of attachments included: a message, a slash command or a `!` command. Never with a
   * blank one.
   */
  readonly onSubmit: (text: string, attachments: readonly Attachment[]) => void;
}

/** At most so many suggestions are visible, and fewer in a low terminal. */
const MAX_SUGGESTIONS = 8;
/** The lines of the screen that suggestions leave to the rest. */
const OTHER_LINES = 10;

/** The input with its suggestions and the queued messages. */
export function PromptInput({ isFocused, onSubmit, store }: PromptInputProps) {
  const services = useUi();
  const { commands } = services;
  const state = useSyncExternalStore(store.subscribe, store.snapshot);
  useSyncExternalStore(commands.subscribe, commands.revision);
  const { width, height } = useScreenSize();
  const editor = useRef<TextEditor | undefined>(undefined);
  const leaveTerminal = useLeaveTerminal();
  const environmentOf = (field: TextEditor): PromptEnvironment => ({
    store,
    services,
    onSubmit,
    leaveTerminal,
    editor: field,
    onError: (error) => services.chat.notice(messageOf(error), { tone: "error" }),
  });
  const handleKey: KeyHandler = (key) => {
    const field = editor.current;
    if (!isFocused || field === undefined) return false;
    field.focus();
    const action = actionOf(key, readSituation(environmentOf(field)));
    if (action === undefined) return false;
    // The app does so for the keys that it receives.
    services.ui.flash(undefined);
    return runPromptAction(action, environmentOf(field));
  };
  useKeys(handleKey);
  // Before the focused field receives what is pasted.
  usePaste(() => {
    if (isFocused) editor.current?.focus();
  });
  const handlePaste = (event: PasteEvent): void => {
    event.preventDefault();
    const text = decodePasteBytes(event.bytes).replace(/\r\n?/g, "\n");
    // Terminals paste nothing when the clipboard has an image.
    const imagePath = pastedImagePath(text);
    if (imagePath !== undefined) pasteImagePath(imagePath, { text, store, services });
    else if (text !== "") pasteText(text, store);
    else if (editor.current !== undefined) runPromptAction({ type: "attach-image" }, environmentOf(editor.current));
  };
  return (
    <box flexDirection="column" flexShrink={0}>
      <PromptField
        store={store}
        state={state}
        editor={editor}
        isFocused={isFocused}
        hint={hintAfterCursor(state, commands)}
        columns={width}
        onPaste={handlePaste}
      />
      <SuggestionList
        list={store.list()}
        selected={state.selected}
        columns={width}
        maxRows={Math.max(2, Math.min(MAX_SUGGESTIONS, height - OTHER_LINES))}
        onChoose={(index) => {
          if (editor.current !== undefined) chooseRow(index, environmentOf(editor.current));
        }}
        onWheel={(by) => store.selectRow(store.snapshot().selected + by, rowCountOf(store.list()))}
      />
      <QueuedLines columns={width} />
    </box>
  );
}

/** What is in the input at this moment. */
function readSituation({ store, editor, services }: PromptEnvironment): PromptSituation {
  const { draft, hint, vi } = store.sync();
  const list = store.list();
  const { isFirst, isLast } = editor.rows();
  const { queue } = services.chat.snapshot();
  return {
    keymap: services.keymap,
    ...draft,
    list: list.type,
    rowCount: rowCountOf(list),
    hint: hint.type,
    vi: services.host.settings.hasViKeys === true ? vi : undefined,
    isFirstRow: isFirst,
    isLastRow: isLast,
    hasSelection: editor.hasSelection(),
    isWalking: store.isWalking(),
    queueLength: queue.length,
    heldCount: queue.filter(({ isHeld = false }) => isHeld).length,
  };
}

/** Attaches the image of a pasted path. Where there is none, the path is a text. */
function pasteImagePath(
  path: string,
  { text, store, services }: { readonly text: string; readonly store: PromptStore; readonly services: UiServices },
): void {
  const reading = services.host.readImageFile?.(path);
  if (reading === undefined || store.sync().searchedFrom !== undefined) return pasteText(text, store);
  reading.then(
    (image) => {
      if (image === undefined) return pasteText(text, store);
      const attachment = attachImage(image, store.snapshot().draft.attachments);
      store.insert(attachment.label, attachment);
    },
    (error: unknown) => {
      pasteText(text, store);
      services.chat.notice(messageOf(error), { tone: "error" });
    },
  );
}

/** What of the command's hint is shown: only at the end of the text. */
function hintAfterCursor({ draft, hint, searchedFrom }: PromptState, commands: CommandRegistry): string {
  if (searchedFrom !== undefined || draft.cursor !== draft.text.length) return "";
  if (hint.type !== "showing-hint" && hint.type !== "typing-args") return "";
  const { argumentHint = "" } = commands.get(hint.commandName) ?? {};
  return missingHint(argumentHint, parseCommandInput(draft.text).argsText);
}

/** Returns a function that leaves the terminal to another program while it runs. */
function useLeaveTerminal() {
  const renderer = useRenderer();
  return async <Result,>(run: () => Promise<Result>): Promise<Result> => {
    renderer.suspend();
    try {
      return await run();
    } finally {
      renderer.resume();
    }
  };
}
