import { type InputRenderable, TextAttributes } from "@opentui/core";
import type { RefObject } from "react";
import { TextField } from "../ui/text-field.tsx";
import { useTheme, useUi } from "../ui/ui-context.ts";
import { type OptionLine, optionStart } from "./question-lines.ts";
import type { QuestionShape, QuestionState } from "./question-state.ts";

/** Properties of {@link OwnText}. */
export interface OwnTextProps {
  readonly shape: QuestionShape;
  /** What is in it at first. */
  readonly text: string;
  /** Whether it receives the keys. */
  readonly isActive: boolean;
  /** Whether the pointer is on it. */
  readonly isOnText: boolean;
  readonly isShown: boolean;
  /** Set to the field. */
  readonly field: RefObject<InputRenderable | null>;
  readonly onInput: (text: string) => void;
}

/** The row for an answer of the person's own. It is not removed while there is no room: it keeps what was typed. */
export function OwnText({ shape: { options }, text, isActive, isOnText, isShown, field, onInput }: OwnTextProps) {
  const { glyphs } = useUi();
  return (
    <box visible={isShown} flexShrink={0}>
      <TextField
        label={optionStart(options.length, { isSelected: isOnText, glyphs })}
        isActive={isOnText}
        {...(text === "" ? {} : { value: text })}
        isFocused={isActive}
        field={field}
        placeholder={options.length === 0 ? "Type your answer" : "Something else: type it"}
        onInput={onInput}
      />
    </box>
  );
}

/** Properties of {@link Options}. */
export interface OptionsProps {
  readonly lines: readonly OptionLine[];
  readonly state: QuestionState;
}

/** The options that fit. */
export function Options({ lines, state }: OptionsProps) {
  const { colors } = useTheme();
  return lines.map(({ index, text, isDescription }, row) => {
    const isSelected = index === state.index;
    const fg = isDescription ? colors.muted : isSelected ? colors.accent : colors.foreground;
    return (
      <text
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        key={row}
        wrapMode="none"
        height={1}
        fg={fg}
        attributes={isSelected && !isDescription ? TextAttributes.BOLD : TextAttributes.NONE}
      >
        {text}
      </text>
    );
  });
}
