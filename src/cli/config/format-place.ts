/** A place of the settings in messages: `permissions.rules[0].tools`. */
export function formatPlace(path: readonly PropertyKey[]): string {
  const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return place.replace(/^\./, "");
}
