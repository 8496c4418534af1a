import { expect, test } from "bun:test";
import { noProxyForLoopback } from "./no-proxy-for-loopback.ts";

test.each([
  { title: "nothing", env: {}, hosts: "127.0.0.1,localhost" },
  { title: "an empty list", env: { NO_PROXY: "" }, hosts: "127.0.0.1,localhost" },
  { title: "hosts", env: { NO_PROXY: "example.org, localhost" }, hosts: "example.org,localhost,127.0.0.1" },
  { title: "other hosts in small letters", env: { NO_PROXY: "a", no_proxy: "b,a" }, hosts: "a,b,127.0.0.1,localhost" },
])("who excepts $title from the proxy excepts this machine, too", ({ env, hosts }) => {
  expect(noProxyForLoopback(env)).toEqual({ NO_PROXY: hosts, no_proxy: hosts });
});
