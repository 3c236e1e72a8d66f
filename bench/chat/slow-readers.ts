// Claim: clients that ask and then read nothing hold no more of the service's memory than the text of their
// answers, and give that back when they are hung up on.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../packages/server/tests/support/client.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/service.ts';
import { machine } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { openSessions, question, settingsFor, startModel } from './setting.ts';

/** The longest answer there may be, in words of four letters. */
const LONGEST = { word: 'word', parts: 16_384 };
const options = numberOptions({ readers: 200, seconds: 120 });

using directory = temporaryDirectory();
await using model = await startModel({ firstMs: 0, pauseMs: 0, ...LONGEST });
await using service = await startProvisioned(directory.path, settingsFor(model));
const client = clientOf(service.url);
const key = service.authorization.replace('Bearer ', '');
const sessions = await openSessions(client, key, options.readers);

/** Answers that were finished, and connections that are open, this one included. */
async function counts(): Promise<{ finished: number; connections: number }> {
  const { text } = await client('/metrics');
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    finished: count(/^gatehouse_chat_turns_total\{outcome="finished"\} (\d+)/m),
    connections: count(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)/m),
  };
}

const before = service.rss();
const begun = performance.now();
const sockets = sessions.map((session) => {
  const socket = connect(service.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(question(session, 'How long does a refund take?'));
  return socket;
});

const seconds: Record<'second' | 'finished' | 'connections' | 'residentMB', number>[] = [];
while (performance.now() - begun < options.seconds * 1000) {
  await sleep(5000);
  const second = Math.round((performance.now() - begun) / 1000);
  const row = { second, ...(await counts()), residentMB: Math.round(service.rss()) };
  seconds.push(row);
  process.stderr.write(`${JSON.stringify(row)}\n`);
}
for (const socket of sockets) socket.destroy();
const peak = Math.max(...seconds.map(({ residentMB }) => residentMB));

console.log(
  JSON.stringify(
    {
      claim: 'memory of clients that read nothing of the longest answer there may be',
      machine: machine(),
      options,
      answerBytes: LONGEST.word.length * LONGEST.parts,
      residentMB: { before: Math.round(before), peak, after: seconds.at(-1)?.residentMB },
      kilobytesAReader: round(((peak - before) * 1024) / options.readers),
      seconds,
    },
    null,
    2,
  ),
);
