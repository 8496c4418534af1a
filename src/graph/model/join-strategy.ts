/**
 * How the branches of a fork join. `all`: every branch must succeed, the first failure cancels the rest. `race`: the first
 * branch to end decides. `any`: the first to succeed wins. `settled`: all end, and failures are listed.
 */
export type JoinStrategy = "all" | "race" | "any" | "settled";
