/** The 16 colours that every terminal has, in the order of their numbers. */
export const TERMINAL_COLORS = [
  ...["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"],
  ...["brightBlack", "brightRed", "brightGreen", "brightYellow", "brightBlue", "brightMagenta", "brightCyan"],
  "brightWhite",
] as const;

/** Other spellings of their names, in lower case. */
const SPELLINGS: Readonly<Record<string, string>> = { gray: "brightBlack", grey: "brightBlack" };

/** The number of one of the terminal's 16 colours, by its name in any spelling: `brightRed`, `bright-red`, `gray`. */
export function terminalColorOf(name: string): number | undefined {
  const key = name.toLowerCase().replace(/[-_ ]/g, "");
  const wanted = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : key;
  const index = TERMINAL_COLORS.findIndex((known) => known.toLowerCase() === wanted?.toLowerCase());
  return index === -1 ? undefined : index;
}

/** The six steps of red, green and blue in the colour cube of terminals with 256 colours. */
const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** The number of the nearest of 256 colours: one of the cube, or one of the 24 greys. */
export function nearestOf256([red, green, blue]: readonly [number, number, number]): number {
  const wanted = [red, green, blue] as const;
  const cube = wanted.map((channel) => nearestIndex(channel, STEPS));
  const grey = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const level = 8 + grey * 10;
  const cubeColor = cube.map((step) => STEPS[step] ?? 0);
  const distance = (color: readonly number[]): number =>
    wanted.reduce((sum, channel, index) => sum + (channel - (color[index] ?? 0)) ** 2, 0);
  if (distance([level, level, level]) < distance(cubeColor)) return 232 + grey;
  const [r = 0, g = 0, b = 0] = cube;
  return 16 + 36 * r + 6 * g + b;
}

function nearestIndex(value: number, steps: readonly number[]): number {
  const distances = steps.map((step) => Math.abs(step - value));
  return distances.indexOf(Math.min(...distances));
}
