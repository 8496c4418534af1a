// Serves a scripted model on 127.0.0.1: prints its address and ends with its standard input.
import { startModelServer } from "../../../src/testkit/index.ts";
import { answerWithWords } from "./answer-with-words.ts";

const server = await startModelServer({ script: answerWithWords });
server.setScript((request) => {
  // A long series would keep every request, each with the whole conversation.
  server.forgetRequests();
  return answerWithWords(request);
});
process.stdin.on("end", () => void server.stop()).resume();
console.log(server.url);
