import { expect, test } from "bun:test";
import { FakeChat } from "../fixtures/fake-chat.ts";
import { fakeServices } from "../fixtures/fake-services.ts";
import type { HostCommand } from "../host/host-command.ts";
import { CommandRegistry } from "./command-registry.ts";
import { HostCommands } from "./host-commands.ts";

function commandOf(name: string, aliases: readonly string[] = []): HostCommand {
  return {
    ...{ name, aliases, description: name, category: "skill" },
    start: { type: "message", write: () => Promise.resolve(name) },
  };
}

type Load = (onPart: ((commands: readonly HostCommand[]) => void) | undefined) => Promise<readonly HostCommand[]>;

function open(...loads: Load[]) {
  const registry = new CommandRegistry();
  const chat = new FakeChat();
  const stopping = new AbortController();
  const { host } = fakeServices({
    host: { loadCommands: (_signal, onPart) => loads.shift()?.(onPart) ?? Promise.resolve([]) },
  });
  const commands = new HostCommands(registry, {
    ...{ chat: chat.asController(), host, followRun: () => undefined },
    signal: stopping.signal,
  });
  return { registry, commands, chat, stopping, names: () => registry.all().map(({ name }) => name) };
}

test("a command whose file is gone is removed, and one whose file changed keeps its alias", async () => {
  const { commands, names, registry } = open(
    async () => [commandOf("one"), commandOf("two", ["second"])],
    async () => [commandOf("two", ["second"])],
  );
  await commands.load();
  expect(names()).toEqual(["one", "two"]);
  await commands.load();
  expect([names(), registry.get("second")?.name]).toEqual([["two"], "two"]);
});

test("what is known early is registered, and the load is complete with the rest", async () => {
  const rest = Promise.withResolvers<readonly HostCommand[]>();
  const { commands, names } = open((onPart) => {
    onPart?.([commandOf("early")]);
    return rest.promise;
  });
  expect(commands.isLoading()).toBe(true);
  const loading = commands.load();
  expect([names(), commands.isLoading()]).toEqual([["early"], true]);
  const loaded = commands.loaded();
  rest.resolve([commandOf("early"), commandOf("late")]);
  await Promise.all([loading, loaded]);
  expect([names(), commands.isLoading()]).toEqual([["early", "late"], false]);
});

test("a load that ends after a later one changes nothing", async () => {
  const first = Promise.withResolvers<readonly HostCommand[]>();
  const { commands, names } = open(
    () => first.promise,
    async () => [commandOf("new")],
  );
  const loading = commands.load();
  await commands.load();
  first.resolve([commandOf("old")]);
  await loading;
  expect(names()).toEqual(["new"]);
});

test("nobody waits for commands after the chat has ended", async () => {
  const { commands, stopping } = open(() => new Promise(() => undefined));
  void commands.load();
  const loaded = commands.loaded();
  stopping.abort();
  await loaded;
  expect(commands.isLoading()).toBe(false);
});
