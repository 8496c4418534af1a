import type { TextareaRenderable } from "@opentui/core";
import { useRef } from "react";
import type { Attachment } from "../chat/chat-state.ts";
import { useTheme } from "../ui/ui-context.ts";

/** Properties of {@link PromptInput}. */
export interface PromptInputProps {
  /** Whether it receives keys: no dialog covers it. */
  readonly isFocused: boolean;
  /** Called with the whole text: a message, a slash command or a `!` command. */
  readonly onSubmit: (text: string, attachments: readonly Attachment[]) => void;
}

/** The input with its suggestions. */
export function PromptInput({ isFocused, onSubmit }: PromptInputProps) {
  const { colors } = useTheme();
  const input = useRef<TextareaRenderable>(null);
  const submit = (): void => {
    const text = input.current?.plainText ?? "";
    input.current?.setText("");
    if (text.trim() !== "") onSubmit(text, []);
  };
  return (
    <box border borderStyle="rounded" borderColor={colors.border} flexShrink={0} paddingX={1}>
      <textarea
        ref={input}
        focused={isFocused}
        minHeight={1}
        maxHeight={8}
        textColor={colors.foreground}
        focusedTextColor={colors.foreground}
        keyBindings={[{ name: "return", action: "submit" }]}
        onSubmit={submit}
      />
    </box>
  );
}
