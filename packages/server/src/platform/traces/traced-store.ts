import type { KnowledgeEngine, QueryReport, Store } from '../../storage/ports/index.ts';
import { activeTraceId, inSpan, type SpanOptions, startSpan } from './spans.ts';

/** Maximum length of recorded SQL in UTF-16 code units. */
const MAX_SQL = 2000;

/**
 * Returns a store that records writes, reads of the event log and searches as spans. Call it only if the process records
 * traces.
 */
export function traceStore(store: Store, system: 'sqlite' | 'postgresql'): Store {
  const { events, knowledge } = store;
  const options = (attributes: SpanOptions['attributes']): SpanOptions => ({
    kind: 'client',
    attributes: { 'db.system.name': system, ...attributes },
  });
  return replaceMembers(store, {
    writeAtomically: (writes) =>
      inSpan('write', options({ 'db.operation.batch.size': writes.length }), () =>
        store.writeAtomically(writes),
      ),
    events: replaceMembers(events, {
      append: (batches) => {
        const count = batches.reduce((sum, { ends }) => sum + ends.length, 0);
        return inSpan(
          'append events',
          options({ 'db.operation.batch.size': count }),
          async (set) => {
            const appended = await events.append(batches);
            set({ 'gatehouse.events.stored': appended.stored });
            return appended;
          },
        );
      },
      read: (query) => inSpan('read events', options({}), () => events.read(query)),
    }),
    knowledge: replaceMembers(knowledge, {
      search: traced('search passages by words', options({}), knowledge.search.bind(knowledge)),
      nearest: traced('search passages by vector', options({}), knowledge.nearest.bind(knowledge)),
    }),
  });
}

type Search = KnowledgeEngine['search'] | KnowledgeEngine['nearest'];

function traced<Args extends Parameters<Search>>(
  name: string,
  options: SpanOptions,
  search: (...args: Args) => ReturnType<Search>,
): (...args: Args) => ReturnType<Search> {
  return (...args) =>
    inSpan(name, options, async (set) => {
      const passages = await search(...args);
      set({ 'db.response.returned_rows': passages.length });
      return passages;
    });
}

/** Returns an object with the members of `target`, some of which are replaced. Methods run with `target` as `this`. */
function replaceMembers<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * Records a finished statement as a span of the active trace. Statements outside a trace, such as those of polling jobs, are not
 * recorded. The text has placeholders instead of values.
 */
export function traceQuery(system: 'sqlite' | 'postgresql'): (report: QueryReport) => void {
  return ({ sql, ms, failed }) => {
    if (activeTraceId() === undefined) return;
    const [, operation = 'sql', table] =
      /^(\w+)(?:.*?(?:from|into|update) "?(\w+))?/s.exec(sql) ?? [];
    const span = startSpan(table === undefined ? operation : `${operation} ${table}`, {
      kind: 'client',
      startTime: Date.now() - ms,
      attributes: {
        'db.system.name': system,
        'db.operation.name': operation,
        'db.query.text': sql.slice(0, MAX_SQL),
        ...(table === undefined ? {} : { 'db.collection.name': table }),
        ...(failed ? { 'error.type': 'statement failed' } : {}),
      },
    });
    span?.span.end();
  };
}
