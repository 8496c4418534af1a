import { safeText } from "../../view/index.ts";

/** Finished HTML: only {@link html} and {@link trusted} create it. */
export class Html {
  constructor(readonly markup: string) {}
}

/** What can be put into {@link html}. Texts are escaped; `undefined` is nothing. */
export type Content = string | number | undefined | Html | readonly Content[];

/**
 * A template of HTML. Every text that is put in is made harmless: without control characters, and escaped, also within the
 * quotes of an attribute.
 *
 * @example
 * html`<b title="${'"'}">${"<i>"}</b>`.markup; // '<b title="&quot;">&lt;i&gt;</b>'
 */
export function html(strings: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let markup = strings[0] ?? "";
  for (const [index, content] of contents.entries()) markup += `${markupOf(content)}${strings[index + 1] ?? ""}`;
  return new Html(markup);
}

/** A constant of this program as HTML; never a text from outside. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function markupOf(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.markup;
  if (typeof content === "string" || typeof content === "number") return escapeText(safeText(String(content)));
  let markup = "";
  for (const each of content) markup += markupOf(each);
  return markup;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
