// Claim: a client that sends a question but does not read the answer uses no more memory than the text of the answer. The service
// releases this memory when it disconnects the client.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import { report } from '../lib/machine.ts';
import { numberOptions } from '../lib/options.ts';
import { startProvisioned } from '../lib/service.ts';
import { round } from '../lib/spread.ts';
import { openSessions, question, settingsFor, startModel } from './setting.ts';

/** The maximum answer length, in words of four letters. */
const LONGEST = { word: 'word', parts: 16_384 };
const options = numberOptions({ readers: 200, seconds: 120 });

using directory = temporaryDirectory();
await using model = await startModel({ firstMs: 0, pauseMs: 0, ...LONGEST });
await using service = await startProvisioned(directory.path, settingsFor(model));
const client = clientOf(service.url);
const key = service.authorization.replace('Bearer ', '');
const sessions = await openSessions(client, key, options.readers);

/** Returns the number of finished answers and of open connections, including the connection of this request. */
async function counts(): Promise<{ finished: number; connections: number }> {
  const { text } = await client('/metrics');
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    finished: count(/^gatehouse_chat_turns_total\{outcome="finished"\} (\d+)/m),
    connections: count(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)/m),
  };
}

const before = service.rss();
const startedAt = performance.now();
const sockets = sessions.map((session) => {
  const socket = connect(service.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(question(session, 'How long does a refund take?'));
  return socket;
});

const seconds: Record<'second' | 'finished' | 'connections' | 'residentMB', number>[] = [];
while (performance.now() - startedAt < options.seconds * 1000) {
  await sleep(5000);
  const second = Math.round((performance.now() - startedAt) / 1000);
  const row = { second, ...(await counts()), residentMB: Math.round(service.rss()) };
  seconds.push(row);
  process.stderr.write(`${JSON.stringify(row)}\n`);
}
for (const socket of sockets) socket.destroy();
const peak = Math.max(...seconds.map(({ residentMB }) => residentMB));

report('memory of clients that do not read an answer of maximum length', {
  options,
  answerBytes: LONGEST.word.length * LONGEST.parts,
  residentMB: { before: Math.round(before), peak, after: seconds.at(-1)?.residentMB },
  kilobytesPerReader: round(((peak - before) * 1024) / options.readers),
  seconds,
});
