/** The lowest contrast of text that everybody can read, by WCAG 2. */
export const READABLE_CONTRAST = 4.5;

/** The red, green and blue of `#rrggbb` or `#rgb`, between 0 and 255. Undefined for anything else. */
export function channelsOf(color: unknown): readonly [number, number, number] | undefined {
  if (typeof color !== "string") return undefined;
  const [, short] = /^#([0-9a-f]{3})$/i.exec(color) ?? [];
  const [, long = short?.replace(/./g, "$&$&")] = /^#([0-9a-f]{6})$/i.exec(color) ?? [];
  if (long === undefined) return undefined;
  const channel = (index: number): number => Number.parseInt(long.slice(index, index + 2), 16);
  return [channel(0), channel(2), channel(4)];
}

/** How bright a colour is, between 0 and 1. Undefined when it is the terminal's own. */
export function luminanceOf(color: unknown): number | undefined {
  const channels = channelsOf(color);
  if (channels === undefined) return undefined;
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, between 1 and 21. Undefined when one of them is the terminal's own. */
export function contrastOf(one: unknown, other: unknown): number | undefined {
  const [left, right] = [luminanceOf(one), luminanceOf(other)];
  if (left === undefined || right === undefined) return undefined;
  return (Math.max(left, right) + 0.05) / (Math.min(left, right) + 0.05);
}
