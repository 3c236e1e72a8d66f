import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/types';
import { tokenHash } from '../access/credential.rules.ts';

type Row = Record<string, unknown>;

/**
 * better-auth keeps session tokens as they are. This stands between it and its database adapter, so
 * that the `token` column only ever holds the SHA-256 of one: tokens are hashed on the way in, as
 * values and in conditions, and a row that was asked for by its token comes back with that token.
 */
export function hashSessionTokens(adapter: DBAdapter): DBAdapter {
  return {
    ...adapter,
    ...hashing(adapter),
    transaction: (work) => adapter.transaction((trx) => work({ ...trx, ...hashing(trx) })),
  };
}

type Hashing = Omit<DBTransactionAdapter, 'id' | 'createSchema' | 'options'>;

function hashing(inner: DBTransactionAdapter): Hashing {
  return {
    create: async <T extends Row, R = T>(query: Parameters<typeof inner.create<T, R>>[0]) => {
      const tokens = tokensOf(query.model);
      const data = tokens.hashIn(query.data as Row) as Omit<T, 'id'>;
      return tokens.giveBack(await inner.create<T, R>({ ...query, data }));
    },
    findOne: async <T>(query: Parameters<typeof inner.findOne<T>>[0]) => {
      const tokens = tokensOf(query.model);
      return tokens.giveBack(
        await inner.findOne<T>({ ...query, where: tokens.hashWhere(query.where) }),
      );
    },
    findMany: async <T>(query: Parameters<typeof inner.findMany<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where ?? []);
      const rows = await inner.findMany<T>({ ...query, where });
      return rows.map((row) => tokens.giveBack(row));
    },
    update: async <T>(query: Parameters<typeof inner.update<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      const update = tokens.hashIn(query.update);
      return tokens.giveBack(await inner.update<T>({ ...query, where, update }));
    },
    updateMany: (query) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      return inner.updateMany({ ...query, where, update: tokens.hashIn(query.update) });
    },
    consumeOne: async <T>(query: Parameters<typeof inner.consumeOne<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      return tokens.giveBack(await inner.consumeOne<T>({ ...query, where }));
    },
    incrementOne: async <T>(query: Parameters<typeof inner.incrementOne<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      const set = tokens.hashIn(query.set ?? {});
      return tokens.giveBack(await inner.incrementOne<T>({ ...query, where, set }));
    },
    count: (query) =>
      inner.count({ ...query, where: tokensOf(query.model).hashWhere(query.where ?? []) }),
    delete: (query) =>
      inner.delete({ ...query, where: tokensOf(query.model).hashWhere(query.where) }),
    deleteMany: (query) =>
      inner.deleteMany({ ...query, where: tokensOf(query.model).hashWhere(query.where) }),
  };
}

interface Tokens {
  hashIn(data: Row): Row;
  hashWhere(where: Where[]): Where[];
  giveBack<T>(row: T): T;
}

/** Hashes the tokens of one call and remembers them for its answer; other models pass as they are. */
function tokensOf(model: string): Tokens {
  if (model !== 'session')
    return { hashIn: (data) => data, hashWhere: (where) => where, giveBack: (row) => row };
  const tokenOf = new Map<string, string>();
  const hashed = (value: unknown): string => {
    if (typeof value !== 'string') throw new TypeError('a session token must be a text');
    const hash = tokenHash(value);
    tokenOf.set(hash, value);
    return hash;
  };
  return {
    hashIn: (data) =>
      data['token'] === undefined ? data : { ...data, token: hashed(data['token']) },
    hashWhere: (where) => where.map((condition) => hashCondition(condition, hashed)),
    giveBack: (row) => {
      const token = tokenOf.get(String((row as Row | null)?.['token']));
      return token === undefined ? row : { ...row, token };
    },
  };
}

function hashCondition(condition: Where, hashed: (value: unknown) => string): Where {
  if (condition.field !== 'token') return condition;
  const { operator = 'eq', value } = condition;
  if (operator === 'in' && Array.isArray(value)) return { ...condition, value: value.map(hashed) };
  if (operator === 'eq') return { ...condition, value: hashed(value) };
  throw new Error(`session tokens are kept as hashes and cannot be compared by ${operator}`);
}
