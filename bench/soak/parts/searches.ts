import type { FoundPassage } from '@gatehouse/contract';
import { openLink } from '../../../packages/server/tests/support/assistant/chat.ts';
import { callMcp } from '../../../packages/server/tests/support/assistant/mcp.ts';
import {
  inParallel,
  untilIndexed,
} from '../../../packages/server/tests/support/knowledge/knowledge.ts';
import { until } from '../../../packages/server/tests/support/until.ts';
import { oneByOne, steadily } from '../pace.ts';
import { attempt, type Part, request, type Setting, violations } from '../setting.ts';
import { type Library, sentence, TEAMS, type Team, WORD, type Written } from '../written.ts';

const PER_SECOND = 3;
const MCP_PAUSE_MS = 2000;
/** A session is renewed before it expires. */
const RENEW_AFTER_MS = 300_000;
const CHECKS_AT_ONCE = 3;

/** Searches with sessions whose links permit the documents of one team. */
export function startSearches(setting: Setting, library: Library): Part {
  const { client, key, session, space, signal, failures } = setting;
  const path = `/spaces/${space.id}/search`;
  const sessions = new Map<Team, { readonly as: string; readonly openedAt: number }>();
  const counts = { searches: 0, mcpSearches: 0, checkedWords: 0 };

  async function sessionOf(team: Team): Promise<string> {
    const open = sessions.get(team);
    if (open !== undefined && performance.now() - open.openedAt < RENEW_AFTER_MS) return open.as;
    const { as } = await openLink(client, key, { permissionFilter: { team: { eq: team } } });
    sessions.set(team, { as, openedAt: performance.now() });
    return as;
  }

  async function search(as: string, query: string): Promise<readonly FoundPassage[] | null> {
    counts.searches += 1;
    const answer = await request(setting, 'search', path, { as, body: { query } });
    return answer === null ? null : (answer.json['items'] as FoundPassage[]);
  }

  async function searchAs(team: Team): Promise<void> {
    const items = await search(await sessionOf(team), sentence(3));
    const foreign = items?.find(({ metadata }) => metadata['team'] !== team);
    if (foreign !== undefined)
      failures.push(`search: a link for ${team} found ${foreign.fileName}`);
  }

  /** Returns the words of documents of another team that a search by MCP finds. */
  async function foreignWords(team: Team): Promise<readonly string[]> {
    const call = { name: 'search', arguments: { query: sentence(3) } };
    const found = await callMcp(client, await sessionOf(team), 'tools/call', call);
    const words = JSON.stringify(found).match(WORD) ?? [];
    return words.filter((word) => library.find(word)?.team !== team);
  }

  async function searchByMcp(): Promise<void> {
    counts.mcpSearches += 1;
    const team = TEAMS[counts.mcpSearches % TEAMS.length] ?? 'a';
    const foreign = await foreignWords(team);
    // The team of a document may have changed after the search.
    if (foreign.length === 0 || (await foreignWords(team)).every((word) => !foreign.includes(word)))
      return;
    failures.push(`search by MCP: a link for ${team} found ${foreign.join()}`);
  }

  async function find(as: string, { word }: Written): Promise<FoundPassage | undefined> {
    return (await search(as, word))?.find(({ text }) => text.includes(word));
  }

  async function finds(as: string, written: Written): Promise<boolean> {
    return (await find(as, written)) !== undefined;
  }

  /** Describes a document that a search found although it should not, and whether later searches find it too. */
  async function describeKept(written: Written, { documentId }: FoundPassage): Promise<string> {
    const later: boolean[] = [];
    while (later.length < 6) later.push(await finds(key, written));
    const { text } = await client(`/spaces/${space.id}/documents/${documentId}`, { as: session });
    return `search: ${written.word} was found in ${documentId}: ${text.slice(0, 300)}; found later: ${later.join()}`;
  }

  async function checkDocuments(): Promise<readonly string[]> {
    await until('all document events are applied', async () =>
      /^gatehouse_document_events_lag 0$/m.test((await client('/metrics')).text),
    );
    await untilIndexed(client, session, space.id);
    const wrong = { lost: 0, forbidden: 0, kept: 0 };
    await inParallel(library.all, CHECKS_AT_ONCE, async (written) => {
      counts.checkedWords += 1;
      if (!written.isLive) {
        const found = await find(key, written);
        if (found === undefined) return;
        wrong.kept += 1;
        failures.push(await describeKept(written, found));
        return;
      }
      for (const team of TEAMS) {
        const isFound = await finds(await sessionOf(team), written);
        if (team === written.team && !isFound) wrong.lost += 1;
        if (team !== written.team && isFound) wrong.forbidden += 1;
      }
    });
    return violations({
      'live documents that no search finds': wrong.lost,
      'documents that a link finds without permission': wrong.forbidden,
      'deleted or replaced documents that a search finds': wrong.kept,
    });
  }

  return {
    run: async () => {
      await Promise.all([
        steadily(PER_SECOND, signal, () => searchAs(counts.searches % 2 === 0 ? 'a' : 'c')),
        oneByOne(MCP_PAUSE_MS, signal, () => attempt(setting, 'search by MCP', searchByMcp)),
      ]);
    },
    check: checkDocuments,
    counts: () => counts,
  };
}
