import { oneByOne } from '../pace.ts';
import { type Part, request, type Setting, violations } from '../setting.ts';
import { sentence } from '../written.ts';

const PAUSE_MS = 5000;
const DOCUMENTS = 20;

/** Replaces documents, and restores the version before. */
export function startVersions(setting: Setting): Part {
  const { key: as, session, space, signal } = setting;
  const path = `/spaces/${space.id}/documents`;
  const contents = new Map<string, string>();
  let restored = 0;

  async function put(name: string, text: string): Promise<string | null> {
    const send = { method: 'PUT', as, body: { fileName: 'versions.txt', text } };
    const answer = await request(setting, 'replace', `${path}/by-key/${name}`, send);
    return answer === null ? null : String(answer.json['id']);
  }

  /** Returns the number of the current version. */
  async function currentVersion(id: string): Promise<number | null> {
    const answer = await request(setting, 'versions', `${path}/${id}/versions`, { as: session });
    const versions = (answer?.json['items'] ?? []) as { version: number; isCurrent: boolean }[];
    return versions.find(({ isCurrent }) => isCurrent)?.version ?? null;
  }

  async function restore(): Promise<void> {
    const name = `restored-${restored % DOCUMENTS}`;
    const text = `Version ${restored}: ${sentence()}.`;
    const id = await put(name, text);
    if (id === null) return;
    const version = await currentVersion(id);
    if ((await put(name, `Replacement ${restored}: ${sentence()}.`)) === null) return;
    const send = { method: 'POST', as: session, body: {} };
    const at = `${path}/${id}/versions/${version}/restore`;
    if ((await request(setting, 'restore', at, send)) === null) return;
    contents.set(id, text);
    restored += 1;
  }

  return {
    run: () => oneByOne(PAUSE_MS, signal, restore),
    check: async () => {
      let wrong = 0;
      for (const [id, text] of contents) {
        const answer = await request(setting, 'content', `${path}/${id}/content`, { as: session });
        if (answer?.text !== text) wrong += 1;
      }
      return violations({ 'documents without the content of their restored version': wrong });
    },
    counts: () => ({ restoredVersions: restored }),
  };
}
