import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { MAX_DOCUMENT_BYTES } from '@gatehouse/contract';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { endlessPdf, pdfOfContent } from '../../../tests/support/knowledge/hostile-documents.ts';
import { parserProcessesOf } from '../../../tests/support/knowledge/parser-processes.ts';
import { parserOfTestRun } from '../../../tests/support/services/program.ts';
import { bytesOf, DOCX, docxOf, PDF, pdfOf, wordParagraph } from './documents.suite.ts';
import { extractAll } from './extractor.suite.ts';
import { type Extractor, FORMATS, type KnownMimeType } from './extractor.ts';
import { createExtractor as createFromSources, type ExtractorOptions } from './index.ts';

const MIB = 1024 * 1024;
const KNOWN_CODES = ['empty', 'not-unicode', 'encrypted', 'corrupt', 'too-large', 'too-complex'];

function createExtractor(options: Partial<ExtractorOptions> = {}) {
  return createFromSources({ ...parserOfTestRun(), ...options });
}

async function assertWorks(extractor: Extractor): Promise<void> {
  const bytes = bytesOf('# Title\n\nText.');
  const extraction = await extractAll(extractor, { bytes, mimeType: 'text/markdown' });
  const passages = [{ heading: ['Title'], text: 'Text.' }];
  assert.deepEqual(extraction, { ok: true, title: 'Title', language: null, passages });
}

async function codeOf(
  extractor: Extractor,
  given: string | Buffer,
  mimeType: KnownMimeType = 'text/plain',
) {
  const extraction = await extractAll(extractor, { bytes: bytesOf(given), mimeType });
  return extraction.ok ? 'ok' : extraction.code;
}

describe('the extractor', () => {
  test('extracts many documents of all formats concurrently', async () => {
    await using extractor = createFromSources();
    const documents = FORMATS.map(({ mimeType }) => {
      if (mimeType === PDF) return { mimeType, given: pdfOf([['Text.']]) };
      if (mimeType.endsWith('document')) return { mimeType, given: docxOf(wordParagraph('Text.')) };
      return { mimeType, given: mimeType === 'application/json' ? '"Text."' : 'Text.' };
    });
    const extractions = await Promise.all(
      [...documents, ...documents].map(({ mimeType, given }) =>
        extractAll(extractor, { mimeType, bytes: bytesOf(given) }),
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

  test('rejects an empty file and a file that is too large', async () => {
    await using extractor = createExtractor();
    assert.equal(await codeOf(extractor, ''), 'empty');
    const bytes = new Uint8Array(MAX_DOCUMENT_BYTES + 1);
    const extraction = await extractAll(extractor, { bytes, mimeType: 'text/plain' });
    assert.ok(!extraction.ok && extraction.code === 'too-large');
  });

  test('fails only the document that exceeds the time limit', async () => {
    await using extractor = createExtractor({ timeLimitMs: 3000 });
    const [slow] = await Promise.all([
      codeOf(extractor, endlessPdf(), PDF),
      assertWorks(extractor),
    ]);
    assert.equal(slow, 'too-slow');
    await assertWorks(extractor);
  });

  test('fails only the document that exceeds the memory limit, whether on or off the heap', async () => {
    await using extractor = createExtractor({ memoryBytes: 128 * MIB });
    const packed = deflateSync(Buffer.alloc(400 * MIB, ' ')).toString('latin1');
    const offHeap = pdfOfContent(packed, '/Filter /FlateDecode');
    assert.equal(await codeOf(extractor, offHeap, PDF), 'too-complex');
    await assertWorks(extractor);
    const xml = wordParagraph('x').repeat(200_000);
    assert.equal(await codeOf(extractor, docxOf(xml), DOCX), 'too-complex');
    await assertWorks(extractor);
  });

  test('parses several documents at the same time', async () => {
    await using extractor = createExtractor({ timeLimitMs: 20_000 });
    const started: string[] = [];
    const both = Promise.withResolvers<void>();
    const readOf = (name: string) =>
      async function* read() {
        started.push(name);
        if (started.length === 2) both.resolve();
        await both.promise;
        yield Buffer.from('Text.');
      };
    const extractions = ['one', 'two'].map((name) =>
      extractAll(extractor, {
        bytes: bytesOf('Text.'),
        mimeType: 'text/plain',
        read: readOf(name),
      }),
    );
    for (const extraction of await Promise.all(extractions)) assert.ok(extraction.ok);
  });

  test('interrupts a slow document for a quick one, and parses it again from its start', async () => {
    await using extractor = createExtractor({ processes: 1, timeLimitMs: 3500 });
    let reads = 0;
    const bytes = bytesOf(endlessPdf());
    const slow = extractAll(extractor, {
      bytes,
      mimeType: PDF,
      async *read() {
        reads++;
        yield bytes;
      },
    });
    await assertWorks(extractor);
    await assertWorks(extractor);
    const extraction = await slow;
    assert.ok(!extraction.ok && extraction.code === 'too-slow');
    assert.ok(reads >= 2, `${reads} reads`);
  });

  test('cancels a waiting and a running extraction', async () => {
    await using extractor = createExtractor({ processes: 1 });
    const gone = new AbortController();
    const bytes = bytesOf(endlessPdf());
    const settled = Promise.allSettled(
      [1, 2].map(() => extractAll(extractor, { bytes, mimeType: PDF, signal: gone.signal })),
    );
    gone.abort(new Error('cancelled'));
    for (const result of await settled)
      assert.ok(result.status === 'rejected' && /cancelled/.test(String(result.reason)));
    await assertWorks(extractor);
  });

  test('rejects with the error of the source or the sink', async () => {
    await using extractor = createExtractor();
    const source = {
      spaceId: 'space',
      mimeType: 'text/plain',
      size: 5,
      async *read() {
        yield Buffer.from('Text.');
      },
    } as const;
    const sink = { async begin() {}, async add() {} };
    const fail = (message: string) => () => Promise.reject(new Error(message));
    await assert.rejects(extractor.extract(source, { ...sink, add: fail('no space') }), /no space/);
    await assert.rejects(extractor.extract(source, { ...sink, begin: fail('gone') }), /gone/);
    const read = () => ({ [Symbol.asyncIterator]: () => ({ next: fail('deleted') }) });
    await assert.rejects(extractor.extract({ ...source, read }, sink), /deleted/);
    await assertWorks(extractor);
  });

  test('processes the largest text without blocking the event loop', async () => {
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

  test('returns a result or a failure for any bytes in every format', async (t) => {
    t.diagnostic(`seed ${SEED}`);
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
    const text = fc
      .string({ unit: anyCharacter, maxLength: 500 })
      .map((given) => Buffer.from(given));
    const format = fc.constantFrom(...FORMATS);
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, damaged, text), format, async (given, { mimeType }) => {
        const bytes = bytesOf(given);
        const extraction = await extractAll(extractor, { bytes, mimeType });
        if (extraction.ok) assert.ok(extraction.passages.length > 0);
        else assert.ok(KNOWN_CODES.includes(extraction.code), extraction.code);
      }),
      { seed: SEED, numRuns: roundsOf(100, 2000) },
    );
    await assertWorks(extractor);
  });

  test('ends an idle process and starts a new one', async () => {
    await using extractor = createExtractor({ idleMs: 1 });
    for (let round = 0; round < 3; round++) {
      await assertWorks(extractor);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  test('replaces a process that was killed while it was idle', async () => {
    await using extractor = createExtractor({ processes: 1 });
    await assertWorks(extractor);
    for (const { pid } of parserProcessesOf({ process })) process.kill(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await assertWorks(extractor);
  });

  test('keeps the process alive only during an extraction', async () => {
    const script = `
      import { createExtractor } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
      const read = async function* () { yield Buffer.from('Text.'); };
      const sink = { begin: async () => {}, add: async () => {} };
      const source = { spaceId: 'a', mimeType: 'text/plain', size: 5, read };
      const { ok } = await createExtractor().extract(source, sink);
      console.log(ok);`;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    assert.equal(stdout, 'true\n');
  });

  test('rejects pending and later extractions after it is closed', async () => {
    const extractor = createExtractor();
    const asked = Array.from({ length: 3 }, () => codeOf(extractor, 'Text.'));
    const settled = Promise.allSettled(asked);
    await extractor.close();
    for (const { status } of await settled) assert.equal(status, 'rejected');
    await assert.rejects(codeOf(extractor, 'Text.'), /closed/);
  });
});
