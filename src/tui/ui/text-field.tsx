import { type InputRenderable, TextAttributes } from "@opentui/core";
import type { RefObject } from "react";
import { LineInput } from "./line-input.tsx";
import { useTheme } from "./ui-context.ts";

/** Properties of {@link TextField}. */
export interface TextFieldProps {
  /** What is in front of it. @default nothing */
  readonly label?: string;
  /** The text. @default what was typed */
  readonly value?: string;
  readonly placeholder?: string;
  /** @default true */
  readonly isFocused?: boolean;
  /** Whether what is typed is meant for it: otherwise it shows neither the accent nor a cursor. @default true */
  readonly isActive?: boolean;
  /** Set to the field, for what types into it. */
  readonly field?: RefObject<InputRenderable | null>;
  readonly onInput: (text: string) => void;
}

/** A field for one line of text. */
export function TextField(props: TextFieldProps) {
  const { label = "", value, placeholder = "", isFocused = true, isActive = true, field, onInput } = props;
  const { colors } = useTheme();
  return (
    <box flexDirection="row" height={1} flexShrink={0}>
      {label === "" ? undefined : (
        <text
          flexShrink={0}
          wrapMode="none"
          fg={isActive ? colors.accent : colors.foreground}
          attributes={isActive ? TextAttributes.BOLD : TextAttributes.NONE}
        >
          {label}
        </text>
      )}
      <LineInput
        {...(value === undefined ? {} : { value })}
        placeholder={placeholder}
        isFocused={isFocused}
        hasCursor={isActive}
        {...(field === undefined ? {} : { field })}
        onInput={onInput}
      />
    </box>
  );
}
