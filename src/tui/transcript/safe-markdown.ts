import {
  type CodeRenderable,
  type MarkdownOptions,
  MarkdownRenderable,
  type OnChunksCallback,
  type Renderable,
  type RenderContext,
  type SimpleHighlight,
  type TextChunk,
} from "@opentui/core";
import { extend } from "@opentui/react";
import { alignCells, type ColumnAlignment } from "./align-cells.ts";
import { isOpenable } from "./spell-links.ts";

/** A part of a line, as OpenTUI's parser `marked` returns it. */
interface InlineToken {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly href?: string;
  readonly tokens?: readonly InlineToken[];
}

/** The cells of a table, as OpenTUI keeps them. */
interface TableCache {
  readonly content: object;
}

/** The private parts of OpenTUI's Markdown that are replaced. */
interface InnerMarkdown {
  readonly _linkifyMarkdownChunks: OnChunksCallback;
  renderInlineToken(token: InlineToken, chunks: TextChunk[], link: TextChunk["link"]): void;
  renderInlineContent(tokens: readonly InlineToken[], chunks: TextChunk[], link: TextChunk["link"]): void;
  createChunk(text: string, group: string, link: TextChunk["link"]): TextChunk;
  addMarkdownLinkHighlights(highlights: readonly SimpleHighlight[], content: string): SimpleHighlight[];
  createMarkdownCodeRenderable(
    content: string,
    id: string,
    marginBottom: number | undefined,
    onChunks?: OnChunksCallback,
    ...rest: readonly unknown[]
  ): CodeRenderable;
  buildTableContentCache(
    table: { readonly align: readonly ColumnAlignment[] },
    previous?: TableCache,
    ...rest: readonly unknown[]
  ): { readonly cache: TableCache | null };
  createTextTableRenderable(content: object, ...rest: readonly unknown[]): Renderable;
}

// The cast is true for 0.5.14, the only version that package.json allows: its class has these methods.
const Markdown = MarkdownRenderable as unknown as new (
  context: RenderContext,
  options: MarkdownOptions,
) => Renderable & InnerMarkdown;

/**
 * Markdown that hides no brackets and no targets. OpenTUI hides the brackets of `a[0]`, as if it were a link, and the targets of
 * links where the terminal can open them. Here a terminal opens only what is in sight. Tables have the alignment of their columns.
 */
class SafeMarkdownRenderable extends Markdown {
  // The class of OpenTUI calls these methods in its constructor, before a field of this one is there.
  static readonly #alignments = new WeakMap<object, readonly ColumnAlignment[]>();

  override buildTableContentCache(
    ...call: Parameters<InnerMarkdown["buildTableContentCache"]>
  ): ReturnType<InnerMarkdown["buildTableContentCache"]> {
    const result = super.buildTableContentCache(...call);
    const [{ align }, previous] = call;
    for (const cache of [result.cache, previous]) {
      if (cache !== null && cache !== undefined) SafeMarkdownRenderable.#alignments.set(cache.content, align);
    }
    return result;
  }

  override createTextTableRenderable(...call: Parameters<InnerMarkdown["createTextTableRenderable"]>): Renderable {
    const table = super.createTextTableRenderable(...call);
    alignCells(table, (content) => SafeMarkdownRenderable.#alignments.get(content) ?? []);
    return table;
  }

  override renderInlineToken(token: InlineToken, chunks: TextChunk[], link: TextChunk["link"]): void {
    const { type, raw, text = "", href = "", tokens } = token;
    if (type !== "link" && type !== "image") return super.renderInlineToken(token, chunks, link);
    const words: TextChunk[] = [];
    if (tokens === undefined) words.push(this.createChunk(text, "default", undefined));
    else this.renderInlineContent(tokens, words, undefined);
    const isSame = text === href || raw === text || raw === `<${text}>`;
    const url = isOpenable(href) && (!isSame || text === href) ? { url: href } : undefined;
    if (isSame) chunks.push(this.createChunk(text, "markup.link.url", url));
    else {
      chunks.push(...words, this.createChunk(" (", "default", undefined));
      chunks.push(this.createChunk(href, "markup.link.url", url), this.createChunk(")", "default", undefined));
    }
  }

  override addMarkdownLinkHighlights(highlights: readonly SimpleHighlight[], content: string): SimpleHighlight[] {
    const visible = highlights.flatMap((highlight) => showSigns(highlight, content));
    return super.addMarkdownLinkHighlights(visible, content);
  }

  override createMarkdownCodeRenderable(
    content: string,
    id: string,
    marginBottom: number | undefined,
    // Left out for a table that has no rows yet.
    onChunks: OnChunksCallback = this._linkifyMarkdownChunks,
    ...rest: readonly unknown[]
  ): CodeRenderable {
    const keepOpenable: OnChunksCallback = async (chunks, context) =>
      dropHiddenTargets((await onChunks(chunks, context)) ?? chunks);
    return super.createMarkdownCodeRenderable(content, id, marginBottom, keepOpenable, ...rest);
  }
}

/** A highlight as it is used: nothing of a link is hidden, and of an escaped sign the backslash is. */
function showSigns(highlight: SimpleHighlight, content: string): readonly SimpleHighlight[] {
  const [start, end, group, meta] = highlight;
  const text = content.slice(start, end);
  if (group === "markup.link.url") return isOpenable(text.replace(/^<|>$/g, "")) ? [highlight] : [];
  if (group.startsWith("markup.link") || (group === "conceal" && /^[[\]()!]+$/.test(text))) return [];
  if (group !== "string.escape" || meta?.injectionLang !== "markdown_inline") return [highlight];
  // As part of an injection, because the space after other hidden signs is hidden, too.
  return [highlight, [start, start + 1, "conceal", { conceal: "", isInjection: true }]];
}

/** The chunks without the links that are not shown as they are. */
export function dropHiddenTargets(chunks: readonly TextChunk[]): TextChunk[] {
  const kept: TextChunk[] = [];
  for (let from = 0, to = 0; from < chunks.length; from = to) {
    const url = chunks[from]?.link?.url;
    while (to === from || (to < chunks.length && url !== undefined && chunks[to]?.link?.url === url)) to++;
    const run = chunks.slice(from, to);
    const isShown = url !== undefined && isOpenable(url) && run.map(({ text }) => text).join("") === url;
    kept.push(...(isShown ? run : run.map(({ link: _, ...chunk }) => chunk)));
  }
  return kept;
}

/** {@link SafeMarkdownRenderable} as a component. Its use registers it: a bundler drops an import that only does that. */
export const SafeMarkdown = register();

function register(): "safe-markdown" {
  extend({ "safe-markdown": SafeMarkdownRenderable });
  return "safe-markdown";
}

declare module "@opentui/react" {
  interface OpenTUIComponents {
    "safe-markdown": typeof SafeMarkdownRenderable;
  }
}
