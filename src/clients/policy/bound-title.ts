/** The longest title, in characters. */
const MAX_TITLE_LENGTH = 65_536;

/**
 * The title of a permission request. It stays complete up to the limit, because a person would approve hidden text unseen.
 * A longer title is cut and says so.
 */
export function boundTitle(title: string): string {
  const excess = title.length - MAX_TITLE_LENGTH;
  return excess > 0 ? `${title.slice(0, MAX_TITLE_LENGTH)}… ${excess} more characters` : title;
}

/** Whether {@link boundTitle} cuts a title. */
export function isTooLong(title: string): boolean {
  return title.length > MAX_TITLE_LENGTH;
}
