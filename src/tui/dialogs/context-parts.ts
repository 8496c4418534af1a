import type { ContextUsage } from "../../contracts/index.ts";

/** A part of the context window. */
export interface ContextPart {
  readonly name: "system and tools" | "messages" | "free";
  readonly tokens: number;
  /** Cells of a bar of the given width. */
  readonly cells: number;
}

/** The parts of the context window. Without the size of the system prompt it counts as messages. */
export function contextParts(
  { usedTokens, maxTokens }: ContextUsage,
  { systemTokens, cells }: { readonly systemTokens: number; readonly cells: number },
): readonly ContextPart[] {
  const system = Math.min(systemTokens, usedTokens);
  const free = Math.max(0, maxTokens - usedTokens);
  const total = Math.max(1, usedTokens + free);
  const upTo = (tokens: number): number => Math.round((tokens / total) * cells);
  const [systemEnd, usedEnd] = [upTo(system), upTo(usedTokens)];
  return [
    { name: "system and tools", tokens: system, cells: systemEnd },
    { name: "messages", tokens: usedTokens - system, cells: usedEnd - systemEnd },
    { name: "free", tokens: free, cells: cells - usedEnd },
  ];
}
