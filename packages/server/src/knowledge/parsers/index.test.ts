import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { MAX_DOCUMENT_BYTES } from '@gatehouse/contract';
import fc from 'fast-check';
import {
  bytesOf,
  DOCX,
  docxOf,
  PDF,
  pdfOf,
  pdfOfObjects,
  stream,
  wordParagraph,
} from './documents.suite.ts';
import { type Extractor, FORMATS, type KnownMimeType } from './extractor.ts';
import { createExtractor } from './index.ts';

const MIB = 1024 * 1024;
const KNOWN_CODES = ['empty', 'not-unicode', 'encrypted', 'corrupt', 'too-large', 'too-complex'];

/** A small document must be read as if nothing had happened before. */
async function assertWorks(extractor: Extractor): Promise<void> {
  const bytes = bytesOf('# Title\n\nText.');
  const extraction = await extractor.extract({ bytes, mimeType: 'text/markdown' });
  const passages = [{ heading: ['Title'], text: 'Text.' }];
  assert.deepEqual(extraction, { ok: true, title: 'Title', language: null, passages });
}

async function codeOf(
  extractor: Extractor,
  given: string | Buffer,
  mimeType: KnownMimeType = 'text/plain',
) {
  const extraction = await extractor.extract({ bytes: bytesOf(given), mimeType });
  return extraction.ok ? 'ok' : extraction.code;
}

/** A PDF whose only page draws what this content says. */
function pdfOfContent(content: string, entries = ''): Buffer {
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R
       /Resources << /Font << /F1 4 0 R >> >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    stream(content, entries),
  ]);
}

/** A page that draws a form, which draws the next one so many times, and so on. */
function pdfOfForms(depth: number, times: number): Buffer {
  const first = 6;
  const form = (n: number) => `/Font << /F1 4 0 R >> /XObject << /X ${first + n} 0 R >>`;
  const head = (n: number) =>
    `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${form(n)} >>`;
  return pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << ${form(0)} >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    stream('/X Do'),
    ...Array.from({ length: depth }, (_, n) => stream('/X Do '.repeat(times), head(n + 1))),
    stream('BT /F1 1 Tf (a) Tj ET', head(depth)),
  ]);
}

describe('the extractor', () => {
  test('reads many documents of all formats that are asked for at once', async () => {
    await using extractor = createExtractor();
    const documents = FORMATS.map(({ mimeType }) => {
      if (mimeType === PDF) return { mimeType, given: pdfOf([['Text.']]) };
      if (mimeType.endsWith('document')) return { mimeType, given: docxOf(wordParagraph('Text.')) };
      return { mimeType, given: mimeType === 'application/json' ? '"Text."' : 'Text.' };
    });
    const extractions = await Promise.all(
      [...documents, ...documents].map(({ mimeType, given }) =>
        extractor.extract({ mimeType, bytes: bytesOf(given) }),
      ),
    );
    for (const extraction of extractions) {
      assert.ok(extraction.ok, JSON.stringify(extraction));
      assert.deepEqual(
        extraction.passages.map(({ text }) => text),
        ['Text.'],
      );
    }
  });

  test('copies the bytes, or transfers them if the caller permits it', async () => {
    await using extractor = createExtractor();
    const kept = bytesOf('Text.');
    await extractor.extract({ bytes: kept, mimeType: 'text/plain' });
    assert.equal(kept.length, 5);
    const transferred = bytesOf('Text.');
    await extractor.extract({ bytes: transferred, mimeType: 'text/plain', transfer: true });
    assert.equal(transferred.length, 0);
    const pooled = Buffer.from('Text.') as Uint8Array<ArrayBuffer>;
    const extraction = await extractor.extract({
      bytes: pooled,
      mimeType: 'text/plain',
      transfer: true,
    });
    assert.ok(extraction.ok && pooled.length === 5);
  });

  test('refuses an empty file and one that is too large without a thread', async () => {
    await using extractor = createExtractor();
    assert.equal(await codeOf(extractor, ''), 'empty');
    const bytes = new Uint8Array(MAX_DOCUMENT_BYTES + 1);
    const extraction = await extractor.extract({ bytes, mimeType: 'text/plain' });
    assert.ok(!extraction.ok && extraction.code === 'too-large');
  });

  test('fails a document that takes too long, alone', async () => {
    await using extractor = createExtractor({ timeLimitMs: 3000 });
    const endless = pdfOfForms(12, 10);
    const [slow] = await Promise.all([codeOf(extractor, endless, PDF), assertWorks(extractor)]);
    assert.equal(slow, 'too-slow');
    await assertWorks(extractor);
  });

  test('fails a document that takes too much memory, beside the heap or on it, alone', async () => {
    await using extractor = createExtractor({ memoryBytes: 128 * MIB });
    const packed = deflateSync(Buffer.alloc(400 * MIB, ' ')).toString('latin1');
    const beside = pdfOfContent(packed, '/Filter /FlateDecode');
    assert.equal(await codeOf(extractor, beside, PDF), 'too-complex');
    await assertWorks(extractor);
    const xml = wordParagraph('x').repeat(200_000);
    assert.equal(await codeOf(extractor, docxOf(xml), DOCX), 'too-complex');
    await assertWorks(extractor);
  });

  test('answers for the largest text, and the event loop goes on meanwhile', async () => {
    await using extractor = createExtractor();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const line = 'A line of a very long text, which somebody exported.\n';
    const large = line.repeat(MAX_DOCUMENT_BYTES / line.length);
    assert.equal(await codeOf(extractor, large), 'too-large');
    const most = line.repeat(9_000_000 / line.length);
    assert.equal(await codeOf(extractor, most), 'ok');
    await assertWorks(extractor);
    delay.disable();
    assert.ok(delay.percentile(99) < 1e9, `${delay.percentile(99) / 1e6} ms`);
  });

  test('answers whatever the bytes are, in every format', async () => {
    await using extractor = createExtractor({ timeLimitMs: 5000 });
    const starts = [
      '',
      '%PDF-1.7\n',
      'PK\u0003\u0004',
      '<html>',
      '{"a":',
      'a,b\n"',
      '- ',
      '\u0000',
    ];
    const samples = [pdfOf([['Text.']]), docxOf(wordParagraph('Text.')), Buffer.from('# a\n- b')];
    const noise = fc
      .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 2000 }))
      .map(([start, bytes]) => Buffer.concat([Buffer.from(start, 'latin1'), bytes]));
    const damaged = fc
      .tuple(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 9 }),
      )
      .map(([sample, changes]) => {
        const bytes = Buffer.from(sample);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        return bytes;
      });
    const text = fc.string({ unit: 'binary', maxLength: 500 }).map((given) => Buffer.from(given));
    const format = fc.constantFrom(...FORMATS);
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, damaged, text), format, async (given, { mimeType }) => {
        const bytes = bytesOf(given);
        const extraction = await extractor.extract({ bytes, mimeType });
        if (extraction.ok) assert.ok(extraction.passages.length > 0);
        else assert.ok(KNOWN_CODES.includes(extraction.code), extraction.code);
      }),
      { numRuns: 500 },
    );
    await assertWorks(extractor);
  });

  test('ends its thread when there is nothing to do, and starts another', async () => {
    await using extractor = createExtractor({ idleMs: 1 });
    for (let round = 0; round < 3; round++) {
      await assertWorks(extractor);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  test('keeps a process alive while it reads, and no longer', async () => {
    const script = `
      import { createExtractor } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
      const bytes = new Uint8Array(Buffer.from('Text.'));
      const { ok } = await createExtractor().extract({ bytes, mimeType: 'text/plain' });
      console.log(ok);`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(stdout, 'true\n');
  });

  test('rejects what it has not answered when it is closed, and what comes later', async () => {
    const extractor = createExtractor();
    const asked = Array.from({ length: 3 }, () => codeOf(extractor, 'Text.'));
    const settled = Promise.allSettled(asked);
    await extractor.close();
    for (const { status } of await settled) assert.equal(status, 'rejected');
    await assert.rejects(codeOf(extractor, 'Text.'), /closed/);
  });
});
