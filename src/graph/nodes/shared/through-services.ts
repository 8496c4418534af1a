/** Marks nodes that act only through `RunServices`: a dry run executes them. */
export const THROUGH_SERVICES = { targets: [], actsThroughServices: true } as const;
