import type { DBAdapter, DBTransactionAdapter, Where } from 'better-auth/types';
import { tokenHash } from '../access/credential.rules.ts';

type Row = Record<string, unknown>;

/**
 * Wraps better-auth's database adapter so that the `token` column contains only SHA-256 hashes. Tokens in values and
 * conditions are hashed. A row that was queried by its token is returned with the plain token.
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
      return tokens.restore(await inner.create<T, R>({ ...query, data }));
    },
    findOne: async <T>(query: Parameters<typeof inner.findOne<T>>[0]) => {
      const tokens = tokensOf(query.model);
      return tokens.restore(
        await inner.findOne<T>({ ...query, where: tokens.hashWhere(query.where) }),
      );
    },
    findMany: async <T>(query: Parameters<typeof inner.findMany<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where ?? []);
      const rows = await inner.findMany<T>({ ...query, where });
      return rows.map((row) => tokens.restore(row));
    },
    update: async <T>(query: Parameters<typeof inner.update<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      const update = tokens.hashIn(query.update);
      return tokens.restore(await inner.update<T>({ ...query, where, update }));
    },
    updateMany: (query) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      return inner.updateMany({ ...query, where, update: tokens.hashIn(query.update) });
    },
    consumeOne: async <T>(query: Parameters<typeof inner.consumeOne<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      return tokens.restore(await inner.consumeOne<T>({ ...query, where }));
    },
    incrementOne: async <T>(query: Parameters<typeof inner.incrementOne<T>>[0]) => {
      const tokens = tokensOf(query.model);
      const where = tokens.hashWhere(query.where);
      const set = tokens.hashIn(query.set ?? {});
      return tokens.restore(await inner.incrementOne<T>({ ...query, where, set }));
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
  restore<T>(row: T): T;
}

/** Hashes the tokens of one call and restores them in its result. Does nothing for models other than sessions. */
function tokensOf(model: string): Tokens {
  if (model !== 'session')
    return { hashIn: (data) => data, hashWhere: (where) => where, restore: (row) => row };
  const tokenOf = new Map<string, string>();
  const hashed = (value: unknown): string => {
    if (typeof value !== 'string') throw new TypeError('A session token must be a string.');
    const hash = tokenHash(value);
    tokenOf.set(hash, value);
    return hash;
  };
  return {
    hashIn: (data) =>
      data['token'] === undefined ? data : { ...data, token: hashed(data['token']) },
    hashWhere: (where) => where.map((condition) => hashCondition(condition, hashed)),
    restore: (row) => {
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
  throw new Error(
    `Session tokens are stored as hashes and do not support the operator ${operator}.`,
  );
}
