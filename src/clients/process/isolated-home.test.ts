import { expect, test } from "bun:test";
import { isolatedHome } from "./isolated-home.ts";

test("a home folder of its own has all of a program's files", () => {
  expect(isolatedHome("/home/own")).toEqual({
    HOME: "/home/own",
    USERPROFILE: "/home/own",
    XDG_CONFIG_HOME: "/home/own/.config",
    XDG_DATA_HOME: "/home/own/.local/share",
    XDG_CACHE_HOME: "/home/own/.cache",
    XDG_STATE_HOME: "/home/own/.local/state",
  });
});
