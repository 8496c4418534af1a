import type { Glyphs } from "../theme/glyphs.ts";
import { type Line, span } from "./line.ts";

/** How many rows of a list are not on the screen: `… 12 more`. Empty when all of them are. */
export function hiddenRows(
  { count, shown }: { readonly count: number; readonly shown: number },
  { ellipsis }: Pick<Glyphs, "ellipsis">,
): Line {
  return count <= shown ? [] : [span(`${ellipsis} ${count - shown} more`, "muted")];
}
