import { documentEvent } from '../../../packages/server/tests/support/knowledge/document-events.ts';
import { oneByOne, steadily } from '../pace.ts';
import { type Part, request, type Setting } from '../setting.ts';
import type { SentEvents } from '../tally.ts';
import { type Library, someTeam, textOf, uploadOf, type Written } from '../written.ts';
import { sendEvents } from './events/traffic.ts';

const UPLOADS_PER_SECOND = 1;
const LIVE_DOCUMENTS = 300;
const CHANGES_PER_SECOND = 0.5;
const KEYS = 50;
const REPLACE_PAUSE_MS = 2000;
const SUBJECTS = 60;
const EVENT_PAUSE_MS = 1500;

/** Uploads, replaces, changes and deletes documents, and synchronises others by events. */
export function startDocuments(setting: Setting, sent: SentEvents, library: Library): Part {
  const { key: as, space, signal } = setting;
  const path = `/spaces/${space.id}/documents`;
  const uploaded: { readonly id: string; readonly written: Written }[] = [];
  const byKey = new Map<number, Written>();
  const bySubject = new Map<string, Written>();
  const counts = { uploaded: 0, replaced: 0, changed: 0, deleted: 0, documentEvents: 0 };

  async function upload(): Promise<void> {
    const written = library.add();
    const send = await uploadOf(written, counts.uploaded++);
    const answer = await request(setting, 'upload', path, { as, ...send });
    if (answer === null) return;
    written.isLive = true;
    uploaded.push({ id: String(answer.json['id']), written });
    const oldest = uploaded.length > LIVE_DOCUMENTS ? uploaded.shift() : undefined;
    if (oldest === undefined) return;
    const remove = { method: 'DELETE', as };
    if ((await request(setting, 'delete', `${path}/${oldest.id}`, remove)) === null) return;
    oldest.written.isLive = false;
    counts.deleted += 1;
  }

  /** Changes the team of a document. Takes the document out of the list, so that it is not deleted at the same time. */
  async function changeTeam(): Promise<void> {
    const [taken] = uploaded.splice(Math.floor(Math.random() * uploaded.length), 1);
    if (taken === undefined) return;
    const team = someTeam();
    const send = { method: 'PATCH', as, body: { metadata: { team } } };
    const answer = await request(setting, 'change metadata', `${path}/${taken.id}`, send);
    if (answer !== null) taken.written.team = team;
    uploaded.push(taken);
    counts.changed += 1;
  }

  async function replace(): Promise<void> {
    const key = counts.replaced % KEYS;
    const written = library.add();
    const send = await uploadOf(written, counts.replaced);
    counts.replaced += 1;
    const at = `${path}/by-key/wiki%2F${key}`;
    if ((await request(setting, 'replace', at, { method: 'PUT', as, ...send })) === null) return;
    written.isLive = true;
    const previous = byKey.get(key);
    if (previous !== undefined) previous.isLive = false;
    byKey.set(key, written);
  }

  async function synchronise(): Promise<void> {
    const subject = `page-${Math.floor(Math.random() * SUBJECTS)}`;
    const previous = bySubject.get(subject);
    if (previous !== undefined) previous.isLive = false;
    const id = sent.next('document');
    counts.documentEvents += 1;
    if (previous !== undefined && Math.random() < 0.25) {
      bySubject.delete(subject);
      await sendEvents(setting, sent, [documentEvent({ subject, id })]);
      return;
    }
    const written = library.add();
    const metadata = { team: written.team };
    const data = { fileName: `${subject}.txt`, text: textOf(written), metadata };
    written.isLive = true;
    bySubject.set(subject, written);
    await sendEvents(setting, sent, [documentEvent({ subject, id, data })]);
  }

  return {
    run: async () => {
      await Promise.all([
        steadily(UPLOADS_PER_SECOND, signal, upload),
        steadily(CHANGES_PER_SECOND, signal, changeTeam),
        oneByOne(REPLACE_PAUSE_MS, signal, replace),
        oneByOne(EVENT_PAUSE_MS, signal, synchronise),
      ]);
    },
    // The searches check the documents.
    check: async () => [],
    counts: () => counts,
  };
}
