/** A change of a source file. `from` occurs exactly once in the file. */
export interface Replacement {
  /** Path below `packages/server/src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Makes the replacements of a file. Throws if the file does not contain the text of a replacement exactly once. */
export function replaceIn(
  file: string,
  source: string,
  replacements: readonly Replacement[],
): string {
  let replaced = source;
  for (const { from, to } of replacements.filter((one) => one.file === file)) {
    if (replaced.split(from).length !== 2) throw new Error(`${file} must contain once: ${from}`);
    replaced = replaced.replace(from, () => to);
  }
  return replaced;
}

/** Small sizes, so that short histories flush and merge segments and run checkpoints. */
export const TUNING: readonly Replacement[] = [
  {
    file: 'storage/sqlite/event-log/identity-index.ts',
    from: 'recentKeys: 56_000,\n  blockBits: 8,\n  flushedPerStep: 48,\n  mergedPerStep: 12,\n  droppedPerStep: 512,',
    to: 'recentKeys: 12,\n  blockBits: 1,\n  flushedPerStep: 1,\n  mergedPerStep: 1,\n  droppedPerStep: 4,',
  },
  {
    file: 'storage/sqlite/event-log/segments.ts',
    from: 'const FAN_IN_BITS = 3;',
    to: 'const FAN_IN_BITS = 1;',
  },
  {
    file: 'storage/sqlite/writer/durable-log.ts',
    from: 'const MAX_CHECKPOINT_PAGES = 1024;',
    to: 'const MAX_CHECKPOINT_PAGES = 24;',
  },
  {
    file: 'storage/sqlite/writer/durable-log.ts',
    from: 'const MAX_PAGES_AT_ONCE = 4096;',
    to: 'const MAX_PAGES_AT_ONCE = 32;',
  },
  // `run.ts` chooses the number for each history.
  {
    file: 'storage/sqlite/writer/writer.ts',
    from: 'const EARLY_WRITES = 16;',
    to: 'const EARLY_WRITES = { valueOf: () => globalThis.simulatedEarlyWrites };',
  },
  // Other tasks run before and after the sync, as they do beside a real thread.
  {
    file: 'storage/sqlite/writer/copy-log-thread.ts',
    from: 'fdatasyncSync(fd);',
    to: 'await new Promise((r) => setImmediate(r)); fdatasyncSync(fd); await new Promise((r) => setImmediate(r));',
  },
];

export interface Defect {
  readonly name: string;
  /** True if only few histories find the defect, so that the test runs the histories of `regressions.ts`. */
  readonly isRare?: true;
  readonly replacements: readonly Replacement[];
}

/** Defects that the simulator must find. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'events are acknowledged before the sync of their commit',
    replacements: [
      {
        file: 'storage/sqlite/connection.ts',
        from: 'pragma synchronous = full;',
        to: 'pragma synchronous = normal;',
      },
      {
        file: 'storage/sqlite/writer/writer-thread.ts',
        from: "db.exec('pragma synchronous = full');",
        to: '',
      },
    ],
  },
  {
    name: 'an identity survives the rollback of its event',
    replacements: [
      {
        file: 'storage/sqlite/event-log/event-log.ts',
        from: 'this.#identities.rolledBack();',
        to: '',
      },
    ],
  },
  {
    name: 'a segment claims to cover a batch whose identities it does not contain',
    replacements: [
      {
        file: 'storage/sqlite/event-log/identity-index.ts',
        from: 'this.#sizes.blockBits, throughBatch);',
        to: 'this.#sizes.blockBits, throughBatch + 1);',
      },
    ],
  },
  {
    name: 'the log of a killed process is trusted without a sync',
    isRare: true,
    replacements: [
      {
        file: 'storage/sqlite/writer/durable-log.ts',
        from: 'if (this.#isDurable) return;',
        to: 'return;',
      },
    ],
  },
  {
    name: 'after a failed sync, the log is synced but not written again',
    isRare: true,
    replacements: [
      {
        file: 'storage/sqlite/writer/log-file.ts',
        from: 'written += writeSync(fd, buffer, written, length - written, at + written);',
        to: 'written += length + 0 * writeSync(fd, buffer, 0, 0, at);',
      },
    ],
  },
  {
    name: 'the log is trusted although the operating system dropped a part of it',
    replacements: [
      {
        file: 'storage/sqlite/writer/log-repair.ts',
        from: 'if (state.pages === 0) return;',
        to: 'return;',
      },
    ],
  },
  {
    name: 'a failed sync of a checkpoint is ignored',
    isRare: true,
    replacements: [
      {
        file: 'storage/sqlite/writer/durable-log.ts',
        from: '      this.failed(error);\n      this.tryToEnsure();\n      throw error;',
        to: '      throw error;',
      },
    ],
  },
  {
    name: 'the pages of an unsynced checkpoint are regarded as copied after a failed sync',
    isRare: true,
    replacements: [
      {
        file: 'storage/sqlite/writer/log-repair.ts',
        from: 'if (state.copied > 0) log.index.forgetCopies();',
        to: '',
      },
      {
        file: 'storage/sqlite/writer/durable-log.ts',
        from: 'if (this.#owner !== null && this.#pages().copied !== 0)',
        to: 'if (this.#owner === undefined)',
      },
    ],
  },
  {
    name: 'another thread counts pages as copied before they are on disk',
    isRare: true,
    replacements: [
      {
        file: 'storage/sqlite/writer/copy-log-thread.ts',
        from: 'index.forgetCopies();',
        to: '',
      },
    ],
  },
  {
    name: 'a consumer saves its cursor before it has processed the page',
    replacements: [
      {
        file: 'streams/consumers/consumer-work.ts',
        from: 'if (isWanted) await handle(spaceId, page.events, signal);',
        to: 'if (isWanted) await this.#write(spaceId, page.through);\n    if (isWanted) await handle(spaceId, page.events, signal);',
      },
    ],
  },
  {
    name: 'retention removes events that a consumer has not processed',
    replacements: [
      {
        file: 'streams/retention/retention.service.ts',
        from: 'await slowestConsumer(spaceId)',
        to: 'Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'the writes of one call are several transactions',
    replacements: [
      {
        file: 'storage/sqlite/index.ts',
        from: 'writer.atomically(writes.map(toStatement));',
        to: 'Promise.all(writes.map((write) => writer.atomically([toStatement(write)]))).then(() => {});',
      },
    ],
  },
  {
    name: 'a failed statement keeps the earlier statements of its group',
    replacements: [
      {
        file: 'storage/sqlite/writer/groups.ts',
        from: "this.#db.exec('rollback to one_write; release one_write')",
        to: "this.#db.exec('release one_write')",
      },
    ],
  },
  {
    name: 'a delivery checkpoint saves the position without the pending deliveries',
    replacements: [
      {
        file: 'outbound/webhooks/deliveries/checkpoint.repository.ts',
        from: '...writesOfRows(db, key, checkpoint),',
        to: '',
      },
    ],
  },
  {
    name: 'a transaction is acknowledged before its commit',
    replacements: [
      {
        file: 'storage/sqlite/writer/writer.ts',
        from: "await this.#link.ask({ kind: 'end', action });",
        to: "this.#link.ask({ kind: 'end', action }).catch(() => {});",
      },
    ],
  },
  {
    name: 'a group that joined a transaction is acknowledged although the commit failed',
    replacements: [
      {
        file: 'storage/sqlite/writer/groups.ts',
        from: 'return groups.map(({ writes }) => writes.map(() => ({ ok: false, failure })));',
        to: 'return groups.map(({ writes }, at) => writes.map(() => at === 0 ? { ok: false, failure } : { ok: true, value: { ...NOTHING, changes: 1, stored: 1 } }));',
      },
    ],
  },
  {
    name: 'a group that joined a transaction is not executed again after a failed write',
    replacements: [
      {
        file: 'storage/sqlite/writer/groups.ts',
        from: 'return this.#commit(groups, true);',
        to: 'const [first, ...joined] = groups; return [...this.#commit([first], true), ...joined.map(({ writes }) => writes.map(() => ({ ok: true, value: { ...NOTHING, changes: 1, stored: 1 } })))];',
      },
    ],
  },
];
