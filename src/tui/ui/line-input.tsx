import { decodePasteBytes, type InputRenderable } from "@opentui/core";
import { type RefObject, useLayoutEffect, useRef } from "react";
import { safeText } from "../../view/index.ts";
import { useTheme } from "./ui-context.ts";

/** Properties of {@link LineInput}. */
export interface LineInputProps {
  /** The text. The cursor is at its end when it differs from what was typed. @default what was typed */
  readonly value?: string;
  /** @default nothing */
  readonly placeholder?: string;
  readonly isFocused: boolean;
  /** Whether the cursor is visible. @default true */
  readonly hasCursor?: boolean;
  /** Set to the field, for what types into it. */
  readonly field?: RefObject<InputRenderable | null>;
  readonly onInput?: (text: string) => void;
  readonly onSubmit?: (text: string) => void;
}

/** A line of text that a person writes. It takes the room that its row has left, and scrolls with the cursor. */
export function LineInput(props: LineInputProps) {
  const { value, placeholder = "", isFocused, hasCursor = true, field, onInput, onSubmit } = props;
  const { colors } = useTheme();
  const own = useRef<InputRenderable>(null);
  const input = field ?? own;
  useLayoutEffect(() => {
    const { current } = input;
    if (current === null || value === undefined || current.plainText === value) return;
    // The property of OpenTUI would place the cursor by UTF-16 units, where a wide letter has two columns.
    current.setText(value);
    current.gotoBufferEnd();
  }, [input, value]);
  return (
    <input
      ref={input}
      // Its own width is that of its text.
      flexGrow={1}
      flexShrink={1}
      flexBasis={0}
      minWidth={0}
      focused={isFocused}
      placeholder={placeholder}
      placeholderColor={colors.muted}
      textColor={colors.foreground}
      focusedTextColor={colors.foreground}
      backgroundColor={colors.background}
      focusedBackgroundColor={colors.background}
      cursorColor={hasCursor ? colors.accent : colors.background}
      // Nothing is cut without a word: what is too long to send is said when it is sent.
      maxLength={Number.MAX_SAFE_INTEGER}
      onPaste={(event) => {
        event.preventDefault();
        input.current?.insertText(oneLine(decodePasteBytes(event.bytes)));
      }}
      {...(onInput === undefined ? {} : { onInput })}
      {...(onSubmit === undefined ? {} : { onSubmit: (text: unknown) => onSubmit(String(text)) })}
    />
  );
}

/** A pasted text without line breaks: OpenTUI would leave them out, and join the words beside them. */
function oneLine(text: string): string {
  return safeText(text.replace(/^[\r\n]+|[\r\n]+$/g, "")).replace(/\s*[\r\n]+\s*/g, " ");
}
