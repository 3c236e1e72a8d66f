import type { Database } from '../../storage/ports/index.ts';

export interface ConsoleSessionRepository {
  /** Replaces the token of a session. Returns `false` if the session no longer has the token `from`. */
  replaceToken(session: {
    readonly id: string;
    /** Hash of the token. */
    readonly from: string;
    /** Hash of the new token. */
    readonly to: string;
  }): Promise<boolean>;
}

export function createConsoleSessionRepository(db: Database): ConsoleSessionRepository {
  return {
    replaceToken: async ({ id, from, to }) => {
      const { numUpdatedRows } = await db
        .updateTable('sessions')
        .set({ token: to })
        .where('id', '=', id)
        .where('token', '=', from)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}
