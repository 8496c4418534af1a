import { describe, expect, test } from "bun:test";
import type { Checkpointer, RunMessage } from "../../../graph/index.ts";

type CreateSaver = () => Checkpointer | Promise<Checkpointer>;

/** What the mailbox of every {@link Checkpointer} must do. */
export function describeMailbox(createSaver: CreateSaver): void {
  describe("its mailbox", () => {
    describeDelivery(createSaver);
    describeReplies(createSaver);
  });
}

function describeDelivery(createSaver: CreateSaver): void {
  test("delivers each message once, in the order of sending", async () => {
    const { mailbox } = await createSaver();
    const posted: RunMessage[] = [];
    for (const text of ["one", "", "ä€\n\u0000"]) {
      posted.push({ id: await mailbox.post("r", text), text });
      // Messages of one millisecond have no order.
      const now = Date.now();
      while (Date.now() === now) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await mailbox.receive("r")).toEqual(posted);
    expect(await mailbox.receive("r")).toEqual([]);
  });

  test("separates runs, whatever their ids", async () => {
    const { mailbox } = await createSaver();
    const runIds = ["r", "R", "../r", "r@", "r@1", "", "x".repeat(200), "x".repeat(201)];
    for (const runId of runIds) await mailbox.post(runId, `for ${runId}`);
    for (const runId of runIds) {
      expect((await mailbox.receive(runId)).map(({ text }) => text)).toEqual([`for ${runId}`]);
    }
  });
}

function describeReplies(createSaver: CreateSaver): void {
  test("delivers each reply once, to its message", async () => {
    const { mailbox } = await createSaver();
    const [one, two] = [await mailbox.post("r", "1"), await mailbox.post("r", "2")];
    expect(await mailbox.takeReply("r", one)).toBeUndefined();
    await mailbox.receive("r");
    await mailbox.reply("r", two, "second");
    await mailbox.reply("r", one, "first");
    expect(await mailbox.takeReply("r", one)).toBe("first");
    expect(await mailbox.takeReply("r", one)).toBeUndefined();
    expect(await mailbox.takeReply("r", two)).toBe("second");
  });

  test("withdraws a message that nobody has received, and no other", async () => {
    const { mailbox } = await createSaver();
    const [one, two] = [await mailbox.post("r", "1"), await mailbox.post("r", "2")];
    expect(await mailbox.withdraw("r", one)).toBe(true);
    expect((await mailbox.receive("r")).map(({ id }) => id)).toEqual([two]);
    expect([await mailbox.withdraw("r", one), await mailbox.withdraw("r", two)]).toEqual([false, false]);
  });

  test("delivers a message to one of several simultaneous readers, or back to its sender", async () => {
    const { mailbox } = await createSaver();
    for (let round = 0; round < 20; round++) {
      const id = await mailbox.post("r", String(round));
      const looks = await Promise.all([
        mailbox.receive("r"),
        mailbox.withdraw("r", id).then((isWithdrawn) => (isWithdrawn ? [id] : [])),
        mailbox.receive("r"),
      ]);
      expect(looks.flat()).toHaveLength(1);
    }
  });

  test("forgets the messages of a run that is deleted", async () => {
    const saver = await createSaver();
    const journal = await saver.open("r", "create");
    await journal.append({ sequence: 1, kind: "record", body: "{}" });
    await journal.close();
    await saver.mailbox.post("r", "too late");
    await saver.delete("r");
    expect(await saver.mailbox.receive("r")).toEqual([]);
  });
}
