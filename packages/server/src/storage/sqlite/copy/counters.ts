import type { DatabaseSync } from 'node:sqlite';
import type { CopyCounters } from '../../ports/copy.ts';

export function readCounters(db: DatabaseSync): CopyCounters {
  const sequence = db.prepare('select seq from sqlite_sequence where name = ?');
  const seqOf = (name: string) => Number(sequence.get(name)?.['seq'] ?? 0);
  const ordinals = db.prepare('select max(last_document) as last from knowledge_spaces').get();
  return {
    bots: seqOf('bots'),
    knowledgeSpaces: seqOf('knowledge_spaces'),
    ordinals: Number(ordinals?.['last'] ?? 0),
  };
}

/** None of these goes down; a space goes on behind all documents of all spaces. */
export function writeCounters(db: DatabaseSync, counters: CopyCounters): void {
  const drop = db.prepare('delete from sqlite_sequence where name = ?');
  const insert = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
  const given = { bots: counters.bots, knowledge_spaces: counters.knowledgeSpaces };
  for (const [name, seq] of Object.entries(given)) {
    drop.run(name);
    insert.run(name, seq);
  }
  db.prepare('update knowledge_spaces set last_document = ?').run(counters.ordinals);
}
