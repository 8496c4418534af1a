import { expect, test } from "bun:test";
import fc from "fast-check";
import { signWebhook, verifyWebhook, WebhookInvalidError } from "./webhook-signature.ts";

const SECRET = "a secret of sixteen and more";
const NOW = 1_700_000_000_000;

function reasonOf(options: Omit<Parameters<typeof verifyWebhook>[0], "now"> & { readonly now?: number }): string {
  try {
    verifyWebhook({ now: NOW, ...options });
    return "valid";
  } catch (error) {
    if (error instanceof WebhookInvalidError) return error.reason;
    throw error;
  }
}

test("the signature is the HMAC-SHA256 of the time and the body, as any other program computes it", () => {
  // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac "key"
  const expected = new Bun.CryptoHasher("sha256", "key").update('1700000000.{"a":1}').digest("hex");
  expect(signWebhook({ body: '{"a":1}', secret: "key", at: NOW + 999 })).toBe(`t=1700000000,v1=${expected}`);
});

test("every signed value is returned as it was, also from bytes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ minLength: 1 }), (value, secret) => {
      const body = JSON.stringify(value);
      const header = signWebhook({ body, secret, at: NOW });
      const bytes = new TextEncoder().encode(body);
      expect(JSON.stringify(verifyWebhook({ body, header, secret, now: NOW }))).toBe(JSON.stringify(JSON.parse(body)));
      expect(reasonOf({ body: bytes, header, secret })).toBe("valid");
    }),
  );
});

test("no other body, secret or time has the same signature", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.string({ minLength: 1 }),
      fc.nat(1_000),
      (body, other, secret, seconds) => {
        const header = signWebhook({ body, secret: SECRET, at: NOW });
        if (other !== body) expect(reasonOf({ body: other, header, secret: SECRET })).toBe("mismatch");
        expect(reasonOf({ body, header, secret: `${secret}x` })).toBe("mismatch");
        const moved = header.replace("t=1700000000", `t=${1_700_000_001 + seconds}`);
        expect(reasonOf({ body, header: moved, secret: SECRET })).toBe("mismatch");
      },
    ),
  );
});

test("a changed character of the header is noticed, whatever it is", () => {
  const header = signWebhook({ body: "{}", secret: SECRET, at: NOW });
  fc.assert(
    fc.property(fc.nat(header.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (index, character) => {
      const changed = header.slice(0, index) + character + header.slice(index + 1);
      if (changed !== header)
        expect(["mismatch", "malformed"]).toContain(reasonOf({ body: "{}", header: changed, secret: SECRET }));
    }),
  );
});

test.each([
  { title: "no header", header: null, reason: "missing" },
  { title: "an empty header", header: "", reason: "missing" },
  { title: "a header of another form", header: "sha256=00", reason: "malformed" },
  { title: "a half signature", header: "t=1700000000,v1=00", reason: "malformed" },
])("$title is rejected as $reason", ({ header, reason }) => {
  expect(reasonOf({ body: "{}", header, secret: SECRET })).toBe(reason);
});

test("a signature is valid for five minutes in both directions, or as long as the caller says", () => {
  const header = signWebhook({ body: "{}", secret: SECRET, at: NOW });
  const at = (now: number, toleranceMs?: number): string =>
    reasonOf({ body: "{}", header, secret: SECRET, now, ...(toleranceMs === undefined ? {} : { toleranceMs }) });
  expect([at(NOW + 300_000), at(NOW + 300_001), at(NOW - 300_000), at(NOW - 300_001)]).toEqual([
    "valid",
    "expired",
    "valid",
    "expired",
  ]);
  expect([at(NOW + 1_000, 1_000), at(NOW + 1_001, 1_000)]).toEqual(["valid", "expired"]);
  expect([at(Number.NaN, 1_000), at(NOW, Number.NaN)]).toEqual(["expired", "expired"]);
});

test("a signed text that is not JSON, and an empty secret, are rejected", () => {
  const header = signWebhook({ body: "hello", secret: SECRET, at: NOW });
  expect(reasonOf({ body: "hello", header, secret: SECRET })).toBe("not-json");
  expect(reasonOf({ body: "{}", header: signWebhook({ body: "{}", secret: "", at: NOW }), secret: "" })).toBe(
    "mismatch",
  );
});
