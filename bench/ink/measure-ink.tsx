import { Writable } from "node:stream";
import { Box, render, Text } from "ink";
import { createMessages, createTokens, type SampleMessage } from "../src/tui/conversation-content.ts";
import { streamTokens } from "../src/tui/stream-tokens.ts";

const [messageCount = "1000", tokenCount = "2000", mounted = "100"] = process.argv.slice(2);

/** A terminal in memory. */
class MemoryTerminal extends Writable {
  readonly columns = 120;
  readonly rows = 40;
  readonly isTTY = true;
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

function Message({ message }: { readonly message: SampleMessage }) {
  return (
    <Box marginTop={1}>
      <Text>{message.type === "user" ? `> ${message.text}` : message.text}</Text>
    </Box>
  );
}

function App({ history, text }: { readonly history: readonly SampleMessage[]; readonly text: string }) {
  return (
    <Box flexDirection="column" height={40} overflow="hidden" justifyContent="flex-end">
      <Box flexDirection="column" flexShrink={0}>
        {history.map((message) => (
          <Message key={message.id} message={message} />
        ))}
        <Text>{text}</Text>
      </Box>
    </Box>
  );
}

const history = createMessages(Number(messageCount)).slice(-Number(mounted));
const stdout = new MemoryTerminal() as unknown as NodeJS.WriteStream; // Ink uses what the class has
const app = render(<App history={history} text="" />, { stdout, debug: true, patchConsole: false, exitOnCtrlC: false });
const firstFrameMs = performance.now();
let text = "";
const measured = await streamTokens(createTokens(Number(tokenCount)), async (added) => {
  text += added;
  // With `debug` each update is drawn at once.
  app.rerender(<App history={history} text={text} />);
});
process.stdout.write(JSON.stringify({ firstFrameMs, ...measured }));
app.unmount();
process.exit(0);
