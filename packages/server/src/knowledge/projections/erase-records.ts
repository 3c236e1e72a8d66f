import { parse } from '../../lib/json/index.ts';
import type { ProjectionRow, RecordRow, Write } from '../../storage/ports/index.ts';
import type { AdvanceDeps } from './advance.ts';
import type { Definition } from './definition.rules.ts';
import { createProjectionRepository } from './projection.repository.ts';
import { createRecordRepository, toState } from './record.repository.ts';
import {
  changeOf,
  filterOf,
  merge,
  type RecordChange,
  type RecordState,
  withoutSubject,
} from './record-state.rules.ts';
import { renderRecord } from './record-text.rules.ts';

/**
 * Removes the values and the history of all events with a subject from the records of a space. The events must have been erased.
 * Returns the number of records that depended on such events.
 */
export type EraseRecords = (spaceId: string, subject: string) => Promise<number>;

const EVENTS_PER_PAGE = 500;
const KEYS_PER_STEP = 50;
/** Maximum attempts while the worker changes the same projection. */
const MAX_ATTEMPTS = 100;

/**
 * Creates the erasure of events from records:
 *
 * 1. All pages that the worker has read are discarded, because they may contain erased events.
 * 2. The values and the history of the erased events are removed.
 * 3. The remaining events of the log are merged again, because an erased value may have replaced the value of another event.
 */
export function createEraseRecords(deps: AdvanceDeps): EraseRecords {
  const projections = createProjectionRepository(deps.engine.db);
  const records = createRecordRepository(deps.engine);

  /**
   * Changes the states of some records. Retries if the worker changed the projection in between.
   *
   * @param stateOf returns `null` to remove the record.
   */
  async function change(
    [spaceId, id]: readonly [string, string],
    keys: readonly string[],
    stateOf: (state: RecordState, record: RecordRow) => RecordState | null,
    also: (row: ProjectionRow) => readonly Write[] = () => [],
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const row = await projections.row(spaceId, id);
      if (row === undefined || row.state === 'deleting') return;
      const found = [...(await records.find(row, keys)).values()];
      const documents = await records.documents(spaceId, found);
      const writes = found.flatMap((record) => {
        const { key, generation, newest_position } = record;
        const state = stateOf(toState(record), record);
        if (state === null)
          return records.removalWrites(row, record, documents.get(record.document ?? -1));
        const isShown = row.state === 'live' && generation === row.generation;
        const current = documents.get(record.document ?? -1);
        const rendered =
          isShown && current !== undefined
            ? renderRecord(parse(row.definition) as Definition, key, state)
            : null;
        const number = rendered === null ? null : (current?.number ?? null);
        return [
          ...records.stateWrites(
            { ...row, generation },
            key,
            state,
            { newest_position, document: number },
            [],
          ),
          ...records.documentWrites(row, key, number, current, rendered, deps.clock()),
        ];
      });
      try {
        // Records that were published before are hidden now, so publishing starts again.
        const published_key = row.state === 'publishing' ? '' : row.published_key;
        const fence = records.progressWrite(row, { ...row, published_key }, 1);
        await deps.writeAtomically([fence, ...writes, ...also(row)]);
        return;
      } catch (error) {
        const now = await projections.row(spaceId, id);
        const isUnchanged = now?.revision === row.revision && now.position === row.position;
        if ((isUnchanged && now.state === row.state) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * Merges the remaining events of the log into the records with these keys, page by page. Merging is idempotent, so it can be repeated
   * after a crash.
   */
  async function mergeRemaining(row: ProjectionRow, keys: ReadonlySet<string>): Promise<void> {
    const definition = parse(row.definition) as Definition;
    let [after, more] = [0, true];
    while (more) {
      const page = await deps.events.read({
        ...filterOf(definition),
        spaceId: row.space_id,
        after,
        limit: EVENTS_PER_PAGE,
      });
      const changes = Map.groupBy(
        page.events
          .map((event) => changeOf(definition, event))
          .filter((one): one is RecordChange => one !== null && keys.has(one.key)),
        ({ key }) => key,
      );
      for (const some of stepsOf([...changes.keys()]))
        await change([row.space_id, row.id], some, (state, { key, generation }) =>
          generation === row.generation ? (changes.get(key) ?? []).reduce(merge, state) : state,
        );
      after = page.through;
      more = page.more;
    }
  }

  return async (spaceId, subject) => {
    await projections.interrupt(spaceId);
    const affected = await records.ofSubject(spaceId, subject);
    const byProjection = Map.groupBy(affected, ({ projection_id }) => projection_id);
    for (const [id, rows] of byProjection) {
      const target = [spaceId, id] as const;
      const keys = rows.map(({ key }) => key);
      for (const some of stepsOf(keys))
        await change(target, some, (state) => withoutSubject(state, subject));
      const row = await projections.row(spaceId, id);
      if (row === undefined) continue;
      await mergeRemaining(row, new Set(keys));
      for (const some of stepsOf(keys))
        await change(
          target,
          some,
          (state, { key, generation }) =>
            generation === row.generation && isOnly(state, key, subject) ? null : state,
          () => [records.subjectRemoval(target, subject, some)],
        );
    }
    return affected.length;
  };
}

function* stepsOf(keys: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < keys.length; at += KEYS_PER_STEP) yield keys.slice(at, at + KEYS_PER_STEP);
}

/** Reports whether a record knows nothing but its key, which may name the erased person. */
function isOnly({ deleted, history }: RecordState, key: string, subject: string): boolean {
  return history.length === 0 && (deleted === null || key === subject);
}
