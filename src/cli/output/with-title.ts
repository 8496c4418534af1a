/** The width of a title in a table. */
export const TITLE_COLUMNS = 48;

/** Adds the title of its visit, if it has one. */
export function withTitle<About extends { readonly taskId: string }>(
  about: About,
  titles: ReadonlyMap<string, string>,
): About & { readonly title?: string } {
  const title = titles.get(about.taskId);
  return title === undefined ? about : { ...about, title };
}
