import { useTheme } from "../ui/ui-context.ts";

/** Properties of {@link TextLine}. */
export interface TextLineProps {
  /** Safe for a terminal, and short enough. */
  readonly text: string;
  /** @default "foreground" */
  readonly tone?: "foreground" | "muted" | "warning" | "error" | "success" | "accent";
}

/** One line of text in a dialog. */
export function TextLine({ text, tone = "foreground" }: TextLineProps) {
  const { colors } = useTheme();
  return (
    <text wrapMode="none" height={1} fg={colors[tone]}>
      {text === "" ? " " : text}
    </text>
  );
}
