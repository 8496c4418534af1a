import { useTheme } from "../ui/ui-context.ts";

/** Properties of {@link TextField}. */
export interface TextFieldProps {
  /** What is in front of it. */
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly isFocused: boolean;
  readonly onInput: (text: string) => void;
}

/** A field for one line of text. */
export function TextField({ label, value, placeholder = "", isFocused, onInput }: TextFieldProps) {
  const { colors } = useTheme();
  return (
    <box flexDirection="row" height={1} flexShrink={0}>
      <text flexShrink={0} fg={colors.accent}>
        {label}
      </text>
      <input
        flexGrow={1}
        focused={isFocused}
        value={value}
        placeholder={placeholder}
        placeholderColor={colors.muted}
        textColor={colors.foreground}
        focusedTextColor={colors.foreground}
        onInput={onInput}
      />
    </box>
  );
}
