import {
  type ColorInput,
  type KeyBinding,
  type OptimizedBuffer,
  type PasteEvent,
  parseColor,
  type TextareaRenderable,
} from "@opentui/core";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useChat, useTheme, useUi } from "../ui/ui-context.ts";
import { fitGhost, fitPlaceholder } from "./ghost-text.ts";
import type { PromptState, PromptStore } from "./prompt-store.ts";
import { TextareaEditor, type TextEditor } from "./text-editor.ts";

/** Properties of {@link PromptField}. */
export interface PromptFieldProps {
  readonly store: PromptStore;
  readonly state: PromptState;
  /** Receives the text field while it is mounted. */
  readonly editor: RefObject<TextEditor | undefined>;
  readonly isFocused: boolean;
  /** The rest of a command's hint. */
  readonly hint: string;
  readonly columns: number;
  readonly onPaste: (event: PasteEvent) => void;
}

/** The longest input without scrolling, in rows. */
const MAX_ROWS = 8;

/** What differs from the field's own keys. Enter, new lines and End are actions of the input. */
const KEY_BINDINGS: KeyBinding[] = [
  { name: "return", action: "submit" },
  { name: "kpenter", action: "submit" },
  { name: "home", action: "visual-line-home" },
];

/** The border of terminals without Unicode. */
const ASCII_BORDER = {
  topLeft: "+",
  topRight: "+",
  bottomLeft: "+",
  bottomRight: "+",
  horizontal: "-",
  vertical: "|",
  topT: "+",
  bottomT: "+",
  leftT: "+",
  rightT: "+",
  cross: "+",
};

/** The text field in its border, which says what the text is: a message, a shell command, a search. */
export function PromptField({ store, state, editor, isFocused, hint, columns, onPaste }: PromptFieldProps) {
  const { colors } = useTheme();
  const { host } = useUi();
  const { hasViKeys = false, isAscii = false, isMotionReduced = false } = host.settings;
  const textarea = useRef<TextareaRenderable>(null);
  const isShell = isShellPrompt(state);
  const isSearch = state.searchedFrom !== undefined;
  const title = isSearch ? " search history " : isShell ? " shell " : undefined;
  const isNormal = hasViKeys && state.vi.mode === "normal";
  const placeholder = usePlaceholder(columns, isSearch);
  // biome-ignore lint/correctness/useExhaustiveDependencies: OpenTUI would keep the height of the placeholder before
  useLayoutEffect(() => {
    textarea.current?.getLayoutNode().markDirty();
    textarea.current?.requestRender();
  }, [placeholder]);
  const drawHint = useHintDrawing(textarea, { hint, color: colors.muted });
  useLayoutEffect(() => {
    if (textarea.current === null) return;
    const attached = new TextareaEditor(textarea.current);
    editor.current = attached;
    const detach = store.attach(attached);
    return () => {
      detach();
      editor.current = undefined;
    };
  }, [store, editor]);
  return (
    <box
      border
      borderStyle="rounded"
      {...(isAscii ? { customBorderChars: ASCII_BORDER } : {})}
      borderColor={isShell ? colors.warning : isSearch ? colors.accent : colors.border}
      {...(title === undefined ? {} : { title })}
      {...(hasViKeys ? { bottomTitle: ` ${state.vi.mode} `, bottomTitleAlignment: "right" as const } : {})}
      flexShrink={0}
      marginX={1}
      paddingX={1}
    >
      <textarea
        ref={textarea}
        focused={isFocused}
        minHeight={1}
        maxHeight={MAX_ROWS}
        wrapMode="word"
        placeholder={placeholder}
        placeholderColor={colors.muted}
        textColor={colors.foreground}
        focusedTextColor={colors.foreground}
        selectionBg={colors.selection}
        cursorColor={colors.accent}
        cursorStyle={{ style: hasViKeys && !isNormal ? "line" : "block", blinking: !isMotionReduced }}
        keyBindings={KEY_BINDINGS}
        onContentChange={() => store.sync()}
        onCursorChange={() => store.sync()}
        onPaste={onPaste}
      />
      {/* One column at the end of the border's padding: a text field calls no function after it was drawn. */}
      <box position="absolute" right={0} top={0} width={1} height={1} renderAfter={drawHint} />
    </box>
  );
}

/** Whether the text is a command line of the user's shell. */
function isShellPrompt({ draft, searchedFrom }: PromptState): boolean {
  return searchedFrom === undefined && draft.text.startsWith("!");
}

function usePlaceholder(columns: number, isSearch: boolean): string {
  const { status } = useChat();
  const { host } = useUi();
  if (isSearch) return "Type a part of an earlier message";
  const parts = [
    status === "working" ? "Queue a message" : "Ask anything",
    "/ commands",
    "@ files",
    ...(host.runShell === undefined ? [] : ["! shell"]),
    "? keys",
  ];
  return fitPlaceholder(parts, columns - 6);
}

/**
 * Draws the hint after the cursor, where the cursor of this very frame is: a position in the state would be one frame late.
 * The function is always the same, since OpenTUI takes it once.
 */
function useHintDrawing(
  textarea: RefObject<TextareaRenderable | null>,
  { hint, color }: { readonly hint: string; readonly color: ColorInput },
): (buffer: OptimizedBuffer) => void {
  const latest = useRef({ hint, color });
  latest.current = { hint, color };
  const [draw] = useState(() => (buffer: OptimizedBuffer): void => {
    if (textarea.current === null) return;
    const { visualCursor, plainText, width, x, y } = textarea.current;
    const ghost = fitGhost(latest.current.hint, {
      column: visualCursor.visualCol,
      fieldColumns: width,
      isAfterSpace: /\s$/.test(plainText),
    });
    if (ghost === undefined) return;
    buffer.drawText(ghost.text, x + ghost.column, y + visualCursor.visualRow, parseColor(latest.current.color));
  });
  return draw;
}
