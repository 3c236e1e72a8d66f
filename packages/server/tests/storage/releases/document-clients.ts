import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientResponse, Send } from '../../support/http/client.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Cluster, Target } from './cluster.ts';
import type { Recorder } from './recorder.ts';

const SECRET = 'Periwinkle';
const OPEN = 'Marigold';
const LIFT = 'What is the password of the lift?';
const FOUND_WITHIN_MS = 60_000;
/** Uploads that create a document. More would make every search slower. */
const MAX_UPLOADS = 100;

interface DocumentClientsOptions {
  readonly cluster: Cluster;
  readonly recorder: Recorder;
  readonly random: Seeded;
  readonly spaceId: string;
  readonly key: string;
  /** Widget session of a link that permits only documents with `team: all`. */
  readonly session: string;
}

/** Clients that replace, upload and hide documents on one replica, and search for the result on all replicas. */
export class DocumentClients {
  /** Number of answers that were cut off. The widget offers to ask again. */
  brokenAnswers = 0;
  readonly #options: DocumentClientsOptions;
  readonly #uploads = new Map<string, string>();
  #edition = 0;
  #noticeId = '';

  constructor(options: DocumentClientsOptions) {
    this.#options = options;
  }

  get count(): { readonly editions: number; readonly uploads: number } {
    return { editions: this.#edition, uploads: this.#uploads.size };
  }

  /** Creates the documents that the clients search for. */
  async prepare(): Promise<void> {
    await this.#put('secret', { text: `The password of the lift is ${SECRET}.` }, 'board');
    await this.#put('open', { text: `The password of the lift is ${OPEN}.` }, 'all');
    const notice = await this.#put('notice', { text: 'The lamp of the cellar is green.' }, 'all');
    this.#noticeId = String(notice?.json['id']);
    for (const target of this.#options.cluster.targets())
      await this.#untilFound(target, 'lamp of the cellar', 'green', () => false);
  }

  /** Asks the assistant through the load balancer, and searches on every replica. */
  async ask(): Promise<void> {
    const { cluster, recorder, session } = this.#options;
    const parts = [{ type: 'text', text: LIFT }];
    const body = { id: randomUUID(), messages: [{ id: 'q', role: 'user', parts }] };
    const answer = await recorder.send(
      cluster.balanced,
      '/chat',
      { as: session, body },
      [200],
      () => {
        this.brokenAnswers += 1;
      },
    );
    if (answer !== null) this.#check('the assistant', answer.text);
    for (const target of cluster.targets()) {
      const found = await this.#search(target, LIFT);
      if (found !== null) this.#check(target.name, found);
    }
  }

  /** Replaces a document on one replica, and waits until all replicas find the new version. */
  async replace(isStopped: () => boolean): Promise<void> {
    const edition = this.#edition + 1;
    const document = { text: `The harbour code of this edition is w${edition}x.` };
    if ((await this.#put('manual', document, 'all', isStopped)) === null) return;
    this.#edition = edition;
    for (const target of this.#options.cluster.targets())
      await this.#untilFound(target, 'harbour code of this edition', `w${edition}x`, isStopped);
  }

  /** Hides or shows a document on one replica. All replicas must apply the change to the next search. */
  async hideOrShow(isStopped: () => boolean): Promise<void> {
    const { cluster, recorder, random, key } = this.#options;
    const isHidden = random.next() < 0.5;
    const send = {
      as: key,
      method: 'PATCH',
      body: { metadata: { team: isHidden ? 'board' : 'all' } },
    };
    const path = this.#path(`/${this.#noticeId}`);
    if ((await this.#untilAccepted(path, send, [200], isStopped)) === null) return;
    for (const target of cluster.targets()) {
      const found = await this.#search(target, 'lamp of the cellar');
      if (found !== null && found.includes('green') === isHidden)
        recorder.report(`${target.name}: ${isHidden ? 'shows a hidden' : 'hides a'} document`);
    }
  }

  /** Uploads a document on one replica, and repeats the request on all replicas. */
  async upload(isStopped: () => boolean): Promise<void> {
    const { cluster, recorder, key } = this.#options;
    if (this.#uploads.size >= MAX_UPLOADS) return;
    const name = randomUUID();
    const body = { fileName: `${name}.txt`, text: `A note ${name}.`, metadata: { team: 'all' } };
    const send = { as: key, body, headers: { 'idempotency-key': name } };
    const created = await this.#untilAccepted(this.#path(), send, [201], isStopped);
    if (created === null) return;
    const id = String(created.json['id']);
    this.#uploads.set(id, body.text);
    for (const target of cluster.targets()) {
      const again = await recorder.send(target, this.#path(), send, [201]);
      if (again !== null && again.json['id'] !== id)
        recorder.report(`${target.name}: a repeated upload created another document`);
    }
  }

  /** Asserts that all replicas have each uploaded document once, and the last version of the replaced document. */
  async assertKept(): Promise<void> {
    const { cluster, key } = this.#options;
    for (const target of cluster.targets()) {
      await this.#untilFound(target, 'harbour code', `w${this.#edition}x`, () => false);
      const list = await target.client(this.#path('?limit=200'), { as: key });
      const ids = (list.json['items'] as { id: string }[]).map(({ id }) => id);
      // The documents of `prepare` and the replaced document.
      assert.equal(ids.length, this.#uploads.size + (this.#edition > 0 ? 4 : 3));
      for (const [id, text] of this.#uploads) {
        assert.ok(ids.includes(id), 'an uploaded document was lost');
        const content = await target.client(this.#path(`/${id}/content`), { as: key });
        assert.equal(content.text, text);
      }
    }
    assert.deepEqual(this.#options.recorder.problems, []);
  }

  #path(rest = ''): string {
    return `/spaces/${this.#options.spaceId}/documents${rest}`;
  }

  async #put(name: string, document: object, team: string, isStopped = () => false) {
    const body = { fileName: `${name}.txt`, metadata: { team }, ...document };
    const send = { as: this.#options.key, method: 'PUT', body };
    return this.#untilAccepted(this.#path(`/by-key/${name}`), send, [200, 201], isStopped);
  }

  /** Sends a request to a random replica. If the response is a 503 or missing, repeats it through the load balancer. */
  async #untilAccepted(
    path: string,
    send: Send,
    expected: readonly number[],
    isStopped: () => boolean,
  ): Promise<ClientResponse | null> {
    const { cluster, recorder, random } = this.#options;
    const targets = cluster.targets();
    const first = targets.length > 0 ? random.pick(targets) : cluster.balanced;
    let answer = await recorder.send(first, path, send, expected);
    while (answer === null || answer.status === 409) {
      if (isStopped()) return null;
      await sleep(100);
      // The key of a request on a killed replica becomes free after some seconds.
      answer = await recorder.send(cluster.balanced, path, send, [...expected, 409]);
    }
    return answer;
  }

  async #untilFound(target: Target, query: string, text: string, isStopped: () => boolean) {
    const end = performance.now() + FOUND_WITHIN_MS;
    while (!target.hasStopped() && !isStopped()) {
      if ((await this.#search(target, query))?.includes(text)) return;
      if (performance.now() > end)
        return this.#options.recorder.report(`${target.name}: does not find "${text}"`);
      await sleep(100);
    }
  }

  /** Returns the found passages as one text. */
  async #search(target: Target, query: string): Promise<string | null> {
    const { recorder, spaceId, session } = this.#options;
    const send = { as: session, body: { query } };
    const answer = await recorder.send(target, `/spaces/${spaceId}/search`, send, [200]);
    return answer?.text ?? null;
  }

  #check(name: string, text: string): void {
    const { recorder } = this.#options;
    if (text.includes(SECRET)) recorder.report(`${name}: shows a hidden document`);
    // An answer can also end with an error that the user may retry.
    if (!text.includes(OPEN) && !/"type":"error"/.test(text))
      recorder.report(`${name}: does not show the permitted document: ${text.slice(0, 300)}`);
  }
}
