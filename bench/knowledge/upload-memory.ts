// Claim: a large upload is stored while it arrives. Prints by how many MiB concurrent uploads of 20 MB raise the resident memory of a
// new service, until the parser has rejected the files. The files are PDFs of random bytes and texts above the limit of the parser,
// so the figures do not contain the memory of indexing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { untilDocumentIndexed } from '../../packages/server/tests/support/knowledge/knowledge.ts';
import { peakMemoryDuring } from '../../packages/server/tests/support/knowledge/parser-processes.ts';
import { startChildWithSpace } from '../../packages/server/tests/support/services/service-with-space.ts';

const FILE_BYTES = 20_000_000;

function formOf(size: number): FormData {
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size)]);
  const form = new FormData();
  form.set('file', new File([content], 'random.pdf'));
  return form;
}

function jsonOf(size: number): string {
  return JSON.stringify({ fileName: 'long.txt', text: randomBytes(size / 2).toString('hex') });
}

for (const form of ['multipart', 'JSON'])
  for (const count of [1, 4]) {
    await using running = await startChildWithSpace();
    const { service, client, session, space } = running;
    const path = `/spaces/${space.id}/documents`;
    let rejected = 0;
    const send = async (size: number): Promise<void> => {
      const response = await fetch(service.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${session}`,
          ...(form === 'JSON' ? { 'content-type': 'application/json' } : {}),
        },
        body: form === 'JSON' ? jsonOf(size) : formOf(size),
      });
      if (response.status === 503) rejected += 1;
      if (response.status === 503) return;
      assert.equal(response.status, 201, await response.clone().text());
      const { id } = (await response.json()) as { id: string };
      await untilDocumentIndexed(client, session, `${path}/${id}`);
    };
    await send(2000);
    const before = service.rss();
    const peak = await peakMemoryDuring(service, async () => {
      await Promise.all(Array.from({ length: count }, () => send(FILE_BYTES)));
    });
    const growth = Math.round(peak.service - before);
    process.stdout.write(
      `${form}, ${count} at once: ${Math.round(before)} MiB + ${growth} MiB, ${rejected} rejected with 503\n`,
    );
  }
